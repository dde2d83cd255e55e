# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# moreau_skip_tests(REASON NAME...): tests that cannot be built here stay in the list, as skipped.
# Every test that skips itself ends with 77 after a line "skipped: REASON", which ./test shows.
function(moreau_skip_tests reason)
  foreach(name IN LISTS ARGN)
    add_test(NAME ${name} COMMAND sh -c "echo \"skipped: $1\"; exit 77" sh ${reason})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
