/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * For Python: an image of a frame of a recording, and a replay page, by the code of `moreau render`
 * and `moreau run --replay`.  Both return 1, or 0 after an error.
 */
#include <stdio.h>

#include "page.h"
#include "render.h"
#include "replay.h"

MO_API int moreau_render(const mo_recording *recording, int frame, int width, int height,
                         double azimuth, double elevation, double zoom, int forces,
                         unsigned char *rgb);
MO_API int moreau_replay(const mo_recording *recording, const char *name, const char *path);

int moreau_render(const mo_recording *recording, int frame, int width, int height, double azimuth,
                  double elevation, double zoom, int forces, unsigned char *rgb)
{
    render_def def = render_default();
    renderer r;
    def.width = width;
    def.height = height;
    def.azimuth = azimuth;
    def.elevation = elevation;
    def.zoom = zoom;
    def.forces = forces;
    if (!render_open(&r, recording, &def)) return 0;
    const int is_drawn = render_frame(&r, frame);
    if (is_drawn) canvas_bytes(&r.small, rgb);
    render_close(&r);
    return is_drawn;
}

int moreau_replay(const mo_recording *recording, const char *name, const char *path)
{
    size_t size = 0;
    const unsigned char *html = moreau_page_html(&size);
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    int is_written = replay_put_recording(recording, name, out, html, size) && !ferror(out);
    is_written = fclose(out) == 0 && is_written;
    if (!is_written) remove(path);
    return is_written;
}
