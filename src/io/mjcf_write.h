/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Writing MJCF.
 *
 *   mjcf_write.c        the whole file, and all that is not a body
 *   mjcf_write_body.c   bodies with joints, geoms and sites; meshes; names and numbers
 */
#ifndef MO_IO_MJCF_WRITE_H
#define MO_IO_MJCF_WRITE_H

#include <stdio.h>

#include "moreau/model.h"

typedef struct mo_mjcf_writer {
    FILE *out;
    const mo_model *model;
} mo_mjcf_writer;

/* attribute="name", or a letter and the number. */
void mo_mjcf_put_name(const mo_mjcf_writer *w, const char *attribute, const char *name, char letter,
                      int k);
void mo_mjcf_put_body_name(const mo_mjcf_writer *w, const char *attribute, int body);
void mo_mjcf_put_joint_name(const mo_mjcf_writer *w, const char *attribute, int joint);
void mo_mjcf_put_tendon_name(const mo_mjcf_writer *w, const char *attribute, int tendon);
void mo_mjcf_put_numbers(const mo_mjcf_writer *w, const char *attribute, const double *x,
                         int count);
void mo_mjcf_put_number(const mo_mjcf_writer *w, const char *attribute, double x);
/* limited, and the range, whose infinities become numbers that no joint reaches. */
void mo_mjcf_put_range(const mo_mjcf_writer *w, const char *limited, const char *range, int has,
                       const double r[2]);

void mo_mjcf_put_meshes(const mo_mjcf_writer *w);
/* False if the order is not depth first. */
int mo_mjcf_put_bodies(const mo_mjcf_writer *w);

#endif
