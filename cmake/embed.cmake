# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# moreau_embed_script(SCRIPT NAME): a gnuplot script as the byte array NAME_gp in NAME_gp.h of the present binary folder, so that an
# installed program can draw.
function(moreau_embed_script script name)
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${name}_gp.h
       CONTENT "static const unsigned char ${name}_gp[] = {@bytes@};\n" @ONLY)
endfunction()
