# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Installs BUILD into a fresh prefix under WORK, moves that prefix, and builds and runs the consumer
# there with find_package and with pkg-config; runs the installed program, where there is one.
set(source ${CMAKE_CURRENT_LIST_DIR})
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${prefix})

# find_package(moreau)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${source} -B ${WORK}/cmake -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_C_COMPILER=${CC} -D CMAKE_C_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
run(${WORK}/cmake/consumer)

# pkg-config moreau
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --exact-version=${VERSION} moreau)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs moreau OUTPUT_VARIABLE moreau_flags
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(moreau_flags UNIX_COMMAND "${moreau_flags}")
separate_arguments(extra_flags UNIX_COMMAND "${FLAGS}")
run(${CC} ${extra_flags} ${source}/main.c -o ${WORK}/consumer ${moreau_flags} -lm)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
run(${WORK}/consumer)

# The program finds its library by itself.
unset(ENV{LD_LIBRARY_PATH})
if(PROGRAM)
  run(${prefix}/bin/moreau solvers)
endif()
