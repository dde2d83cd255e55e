# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The functions that LIBRARY exports are exactly those that HEADERS declare with MO_API.
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" rows "${table}")
list(TRANSFORM rows REPLACE " .*" "" OUTPUT_VARIABLE exported)

set(declared)
file(GLOB headers ${HEADERS}/*.h)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX MATCHALL "MO_API [^;(]*mo_[a-z0-9_]+\\(" found "${text}")
  list(TRANSFORM found REPLACE ".*(mo_[a-z0-9_]+)\\($" "\\1")
  list(APPEND declared ${found})
endforeach()

set(leaked ${exported})
list(REMOVE_ITEM leaked ${declared})
set(missing ${declared})
list(REMOVE_ITEM missing ${exported})
list(JOIN leaked " " leaked)
list(JOIN missing " " missing)
if(leaked)
  message(SEND_ERROR "exported but in no public header: ${leaked}")
endif()
if(missing)
  message(SEND_ERROR "in a public header but not exported: ${missing}")
endif()
list(LENGTH declared count)
message(STATUS "${count} functions declared")
