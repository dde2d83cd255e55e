/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* In the place of the page where it was not built. */
#include "../page.h"

static const unsigned char PAGE[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Moreau</title></head>"
    "<body><p>This program was built without its page: install nodejs and npm, and build it again."
    "</p></body></html>\n";

const unsigned char *moreau_page_html(size_t *size)
{
    *size = sizeof PAGE - 1;
    return PAGE;
}
