# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# cmake -D PROGRAM= -D OUT= -P manual.cmake: the manual pages in OUT/man1 and the completion in
# OUT/completions, as PROGRAM prints them.  A command that was not built in has no page.
function(save file)
  execute_process(COMMAND ${PROGRAM} ${ARGN}
                  OUTPUT_VARIABLE text ERROR_VARIABLE why RESULT_VARIABLE status)
  if(status EQUAL 0)
    file(WRITE ${OUT}/${file} "${text}")
  elseif(NOT why MATCHES "built without")
    message(FATAL_ERROR "${PROGRAM} ${ARGN} failed: ${why}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
save(completions/moreau --help=bash)
save(man1/moreau.1 --help=man)
file(STRINGS ${OUT}/man1/moreau.1 commands REGEX "^.BR moreau..[a-z]+ ")
foreach(line IN LISTS commands)
  string(REGEX REPLACE "^.BR moreau..([a-z]+) .*" "\\1" command "${line}")
  save(man1/moreau-${command}.1 ${command} --help=man)
endforeach()
