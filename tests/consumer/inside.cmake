# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# A project has Moreau, at SOURCE, inside itself; builds are in WORK.  DO is one of
#
#   fetch     FetchContent brings the library alone, shared and with everything
#   static    add_subdirectory, static with everything; installed, CMake and pkg-config find it
#   least     the same without HDF5, libxml2 and OpenMP
set(inside ${CMAKE_CURRENT_LIST_DIR}/inside)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Not optimised: it is the build that is tested.
function(configure)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${inside} -B ${WORK}/build -D MOREAU_SOURCE=${SOURCE}
      -D CMAKE_C_COMPILER=${CC} -D CMAKE_BUILD_TYPE=None -D MOREAU_CUDA=off ${ARGN})
endfunction()

# The libraries that a program asks for.
function(refuse_libraries program)
  execute_process(COMMAND ${OBJDUMP} -p ${program} OUTPUT_VARIABLE head COMMAND_ERROR_IS_FATAL ANY)
  foreach(name IN LISTS ARGN)
    if(head MATCHES "NEEDED +lib${name}")
      message(FATAL_ERROR "${program} needs lib${name}")
    endif()
  endforeach()
endfunction()

# The installed static library, by find_package and by pkg-config.
function(use_installed)
  set(prefix ${WORK}/prefix)
  run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${prefix})
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/cmake
      -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_C_COMPILER=${CC})
  run(${CMAKE_COMMAND} --build ${WORK}/cmake)
  run(${WORK}/cmake/consumer)
  refuse_libraries(${WORK}/cmake/consumer moreau)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --static --cflags --libs moreau OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CC} ${CMAKE_CURRENT_LIST_DIR}/main.c -o ${WORK}/consumer ${flags})
  run(${WORK}/consumer)
endfunction()

if(DO STREQUAL "fetch")
  configure(-D FETCH=ON) # its targets are compared there
elseif(DO STREQUAL "static")
  configure(-D MOREAU_SHARED=OFF -D MOREAU_INSTALL=ON)
  run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2 --target moreau consumer)
  run(${WORK}/build/consumer)
  use_installed()
elseif(DO STREQUAL "least")
  configure(-D MOREAU_SHARED=OFF -D MOREAU_INSTALL=ON -D MOREAU_HDF5=OFF -D MOREAU_XML=OFF
            -D MOREAU_OPENMP=OFF)
  run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
  run(${WORK}/build/consumer)
  run(${WORK}/build/refusals)
  refuse_libraries(${WORK}/build/refusals hdf5 z xml2 gomp omp)
  use_installed()
else()
  message(FATAL_ERROR "DO is fetch, static or least.")
endif()
