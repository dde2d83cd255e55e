# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# cmake -D DO= -D NPM= -D WORK= -P build_page.cmake
#
# Keeps page.html, the built page, in step with its sources.  DO is one of
#
#   refresh           builds the page in WORK and puts it into the tree
#   compare           builds the page in WORK; the one in the tree must have the same bytes
#   compare-sources   the page in the tree must name the hash of the sources; this needs no npm
cmake_minimum_required(VERSION 3.22)
set(page ${CMAKE_CURRENT_LIST_DIR}/page.html)
set(remedy "Build it anew, where npm is installed:\n  cmake --build build --target refresh-page")

# One hash of all that the page is made from: names and contents, in the order of the names.
function(hash_sources result)
  file(GLOB names RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/src/*)
  list(APPEND names index.html package-lock.json tsconfig.json vite.config.js)
  list(SORT names)
  set(lines)
  foreach(name IN LISTS names)
    file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/${name} hash)
    string(APPEND lines "${hash}  ${name}\n")
  endforeach()
  string(SHA256 hash "${lines}")
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

# npm's own words come with its failure.  Its cache is in WORK, so that the first fetch is that of a
# machine that never ran npm.
function(run_npm what)
  execute_process(COMMAND ${NPM} ${ARGN} --cache ${WORK}/npm-cache WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE why)
  if(NOT status EQUAL 0)
    message(NOTICE "${said}${why}")
    message(FATAL_ERROR "${what}; see the messages of npm above.")
  endif()
endfunction()

# Packages are fetched again only when the list of them changed.
function(fetch_packages)
  file(SHA256 ${WORK}/package-lock.json lock)
  set(stamp ${WORK}/node_modules/.moreau-lock)
  set(fetched)
  if(EXISTS ${stamp})
    file(READ ${stamp} fetched)
  endif()
  if(NOT fetched STREQUAL lock)
    # npm wants the least pause below the largest one.
    run_npm("The packages of the viewer's page could not be fetched" ci --ignore-scripts --no-audit
            --no-fund --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000)
    file(WRITE ${stamp} ${lock})
  endif()
endfunction()

# WORK/page.html, with the hash of the sources in it.
function(build_page)
  if(NOT NPM)
    message(FATAL_ERROR
            "The viewer's page is built by npm, which was not found (Debian: nodejs npm).")
  endif()
  foreach(name IN ITEMS src test browser)
    file(REMOVE_RECURSE ${WORK}/${name})
  endforeach()
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/ DESTINATION ${WORK}
       PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN page.html EXCLUDE)
  fetch_packages()
  run_npm("The viewer's page could not be built" run build)
  hash_sources(hash)
  file(READ ${WORK}/dist/index.html html)
  string(REPLACE "<!-- sources -->" "<!-- sources ${hash} -->" html "${html}")
  file(WRITE ${WORK}/page.html "${html}")
endfunction()

if(DO STREQUAL "compare-sources")
  hash_sources(hash)
  file(STRINGS ${page} line REGEX "<!-- sources ${hash} -->" LIMIT_COUNT 1)
  if(NOT line)
    message(FATAL_ERROR "viewer/page/page.html is older than its sources. ${remedy}")
  endif()
elseif(DO STREQUAL "compare")
  build_page()
  file(SHA256 ${WORK}/page.html built)
  file(SHA256 ${page} kept)
  if(NOT built STREQUAL kept)
    message(FATAL_ERROR "viewer/page/page.html is not what its sources give. ${remedy}")
  endif()
elseif(DO STREQUAL "refresh")
  build_page()
  file(COPY_FILE ${WORK}/page.html ${page} ONLY_IF_DIFFERENT)
else()
  message(FATAL_ERROR "DO is refresh, compare or compare-sources.")
endif()
