/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The viewer's page: one HTML file that loads nothing else, as bytes in the program. */
#ifndef VIEWER_PAGE_H
#define VIEWER_PAGE_H

#include <stddef.h>

const unsigned char *moreau_page_html(size_t *size);

#endif
