# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Sanitizers, for every target below: one that is not instrumented could not load a library that is.
# MOREAU_SANITIZE: ON for address and undefined behaviour, thread for races, undefined for the latter.
if(MOREAU_SANITIZE)
  set(sanitizers address,undefined)
  if(MOREAU_SANITIZE MATCHES "^(thread|undefined)$")
    set(sanitizers ${MOREAU_SANITIZE})
  endif()
  set(MOREAU_SANITIZE_FLAGS -fsanitize=${sanitizers} -fno-sanitize-recover=all
                            -fno-omit-frame-pointer)
  # Checks of every access take gcc a third of the time to compile.  The address sanitizer ends at
  # NULL all the same; clang, in the presets undefined and fuzz, has all of them.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND MOREAU_SANITIZE_FLAGS -fno-sanitize=null,alignment,object-size)
  endif()
  # loops with checks stay scalar, which is no news
  add_compile_options(${MOREAU_SANITIZE_FLAGS} "$<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>")
  add_link_options(${MOREAU_SANITIZE_FLAGS})
endif()
if(MOREAU_COVERAGE) # lines that tests reach; counters of several threads must not be lost
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
if(MOREAU_FUZZ) # the targets link libFuzzer itself
  set(counted ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/counted.txt)
  add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>"
                      "$<$<COMPILE_LANGUAGE:C>:-fsanitize-coverage-allowlist=${counted}>")
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
