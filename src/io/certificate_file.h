/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Certificates as files: words and numbers, so that another program can read and check them. */
#ifndef MO_IO_CERTIFICATE_FILE_H
#define MO_IO_CERTIFICATE_FILE_H

/*
 *     moreau-certificate 1
 *     problem ROWS DOFS
 *     verdict WORD
 *     solution proven|measured DIMENSION              for each solution in the list, in order
 *       u NUMBERS                                     ROWS of them, with the compliance part
 *       r NUMBERS
 *       other_u NUMBERS   other_r NUMBERS             another point of a set of positive dimension
 *     tree NODES                                     the tree of measure/certificate.c, in preorder
 *       split UNIT
 *       empty COUNT MULTIPLIERS
 *       point SOLUTION                                from 0 on; -1 for none
 *       near SOLUTION COUNT MULTIPLIERS
 *     condition WORD holds FACTOR COUNT MOTION        FACTOR on all friction coefficients
 *     condition WORD fails FACTOR COUNT IMPULSE
 *     limit BELOW ABOVE        on the factor; followed by the condition for each finite end above 0
 *     end
 *
 * White space separates; # begins a comment to the end of its line.  Numbers have 17 digits and
 * read back as they were.
 */
#define MO_CERTIFICATE_MAGIC "moreau-certificate"
enum { MO_CERTIFICATE_VERSION = 1 };

#endif
