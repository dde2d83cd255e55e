/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_csv.h"

#include "number.h"

void run_csv_head(FILE *out)
{
    fputs("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,name\n", out);
}

/* Seventeen digits give the same double; finding the shortest takes three times as long. */
static void put_numbers(FILE *out, int count, const double *x)
{
    for (int k = 0; k < count; ++k)
        fprintf(out, ",%.17g", x[k]);
}

void run_csv_name(FILE *out, const char *name)
{
    for (const char *c = name; *c; ++c)
        fputc(*c == ',' || *c == '"' || *c == '\n' ? '_' : *c, out);
}

void run_csv_frame(FILE *out, const mo_world *world)
{
    const number_text time = number_exact(mo_world_time(world));
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        fprintf(out, "%s,%d", time.text, k);
        put_numbers(out, 3, body.pose.position);
        put_numbers(out, 4, body.pose.orientation);
        put_numbers(out, 3, body.velocity);
        put_numbers(out, 3, body.spin);
        fputc(',', out);
        run_csv_name(out, body.name);
        fputc('\n', out);
    }
}
