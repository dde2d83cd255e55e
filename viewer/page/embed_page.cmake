# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# cmake -D PAGE= -D OUT= -P embed_page.cmake: writes OUT, a C file that holds PAGE.
file(READ ${PAGE} bytes HEX)
# Lines that an editor can open.
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT}
"/* Made by viewer/page/embed_page.cmake. */
#include \"page.h\"

static const unsigned char PAGE[] = {
${bytes}};

const unsigned char *moreau_page_html(size_t *size)
{
    *size = sizeof PAGE;
    return PAGE;
}
")
