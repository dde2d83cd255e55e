/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "animation.h"

#include <errno.h>
#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* Of 100: lossy, with no artefact that one sees on shaded faces and thin outlines. */
static const float QUALITY = 80;

struct animation {
    WebPAnimEncoder *encoder;
    WebPConfig config;
    int width, height;
};

int animation_is_built_in(void)
{
    return 1;
}

animation *animation_begin(int width, int height)
{
    WebPAnimEncoderOptions options;
    animation *a = calloc(1, sizeof *a);
    if (!a || !WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&a->config)) {
        free(a);
        return NULL;
    }
    a->config.quality = QUALITY;
    a->width = width;
    a->height = height;
    a->encoder = WebPAnimEncoderNew(width, height, &options);
    if (!a->encoder) {
        free(a);
        return NULL;
    }
    return a;
}

int animation_add(animation *a, const unsigned char *bytes, int time)
{
    WebPPicture picture;
    if (!WebPPictureInit(&picture)) {
        return 0;
    }
    picture.use_argb = 1;
    picture.width = a->width;
    picture.height = a->height;
    const int good = WebPPictureImportRGB(&picture, bytes, 3 * a->width) &&
                     WebPAnimEncoderAdd(a->encoder, &picture, time, &a->config);
    WebPPictureFree(&picture);
    return good;
}

int animation_write(animation *a, int time, FILE *out)
{
    WebPData data;
    WebPDataInit(&data);
    errno = ENOMEM;
    const int good = WebPAnimEncoderAdd(a->encoder, NULL, time, NULL) &&
                     WebPAnimEncoderAssemble(a->encoder, &data) &&
                     fwrite(data.bytes, 1, data.size, out) == data.size;
    WebPDataClear(&data);
    return good;
}

void animation_end(animation *a)
{
    if (a) {
        WebPAnimEncoderDelete(a->encoder);
        free(a);
    }
}
