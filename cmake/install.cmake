# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The install target: library, headers, program, and what CMake and pkg-config need to find them.
# Nothing installed holds the prefix, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS moreau EXPORT moreauTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/moreau DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes/models DESTINATION ${CMAKE_INSTALL_DATADIR}/moreau FILES_MATCHING PATTERN "*.xml")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The program looks for the library beside itself.
if(TARGET moreau_cli)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(moreau_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS moreau_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# What a user of the static library links besides.
set(dependencies)
set(private_libraries)
if(NOT MOREAU_SHARED)
  set(private_libraries ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
  string(APPEND dependencies "set(BLA_VENDOR ${BLA_VENDOR})\nfind_dependency(LAPACK)\n")
  if(MOREAU_HDF5)
    list(APPEND private_libraries ${HDF5_C_LIBRARIES} ${ZLIB_LIBRARIES})
    string(APPEND dependencies "find_dependency(HDF5 COMPONENTS C)\nfind_dependency(ZLIB)\n")
  endif()
  if(MOREAU_XML)
    list(APPEND private_libraries ${LIBXML2_LIBRARIES})
    string(APPEND dependencies "find_dependency(LibXml2)\n")
  endif()
  if(PNG_FOUND)
    list(APPEND private_libraries ${PNG_LIBRARIES})
    string(APPEND dependencies "find_dependency(PNG)\n")
  endif()
  if(MOREAU_OPENMP)
    list(APPEND private_libraries ${OpenMP_C_FLAGS})
    string(APPEND dependencies "find_dependency(OpenMP COMPONENTS C)\n")
  endif()
  list(APPEND private_libraries -lm)
  list(REMOVE_DUPLICATES private_libraries)
  list(JOIN private_libraries " " private_libraries)
endif()

# find_package(moreau)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/moreau)
configure_package_config_file(cmake/moreauConfig.cmake.in ${PROJECT_BINARY_DIR}/moreauConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/moreauConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(EXPORT moreauTargets NAMESPACE moreau:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/moreauConfig.cmake
              ${PROJECT_BINARY_DIR}/moreauConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config moreau
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH prefix_to_lib ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH prefix_to_include ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/moreau.pc.in ${PROJECT_BINARY_DIR}/moreau.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/moreau.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
