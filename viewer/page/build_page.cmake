# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# cmake -D SOURCE= -D WORK= -D FILES= -D NPM= -D PAGE= -D OUT= -P build_page.cmake
#
# Writes OUT, a C file that holds the page: PAGE where one is given, else the one that npm builds from copies of FILES in WORK, else
# plain.html.

# Packages are fetched again only when the list of them changed.
function(fetch_packages result)
  file(SHA256 ${WORK}/package-lock.json lock)
  set(stamp ${WORK}/node_modules/.moreau-lock)
  if(EXISTS ${stamp})
    file(READ ${stamp} fetched)
    if(fetched STREQUAL lock)
      set(${result} 0 PARENT_SCOPE)
      return()
    endif()
  endif()
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund --fetch-retries=1 --fetch-retry-maxtimeout=5000
    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE why)
  if(status EQUAL 0)
    file(WRITE ${stamp} ${lock})
  else()
    message(WARNING "The packages of the viewer's page could not be fetched; the viewer will have no page.\n${why}")
  endif()
  set(${result} ${status} PARENT_SCOPE)
endfunction()

function(build_page page)
  foreach(name IN LISTS FILES)
    file(TO_CMAKE_PATH ${SOURCE}/${name} path)
    get_filename_component(folder ${WORK}/${name} DIRECTORY)
    file(COPY ${path} DESTINATION ${folder})
  endforeach()
  set(${page} ${SOURCE}/plain.html PARENT_SCOPE)
  fetch_packages(status)
  if(NOT status EQUAL 0)
    return()
  endif()
  execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE why)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "The viewer's page could not be built.\n${said}${why}")
  endif()
  set(${page} ${WORK}/dist/index.html PARENT_SCOPE)
endfunction()

if(PAGE)
  set(page ${PAGE})
elseif(NPM)
  build_page(page)
else()
  set(page ${SOURCE}/plain.html)
endif()

set(is_there 1)
if(page STREQUAL ${SOURCE}/plain.html)
  set(is_there 0)
endif()
file(READ ${page} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}") # lines that an editor can open
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT}
"/* Made by viewer/page/build_page.cmake. */
#include \"page.h\"

static const unsigned char PAGE[] = {
${bytes}};

const unsigned char *moreau_page_html(size_t *size)
{
    *size = sizeof PAGE;
    return PAGE;
}

int moreau_page_is_there(void)
{
    return ${is_there};
}
")
