/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "animation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* Quality of 100: lossy, without visible artefacts on shaded faces and thin outlines. */
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
    if (!WebPPictureInit(&picture)) return 0;
    picture.use_argb = 1;
    picture.width = a->width;
    picture.height = a->height;
    const int good = WebPPictureImportRGB(&picture, bytes, 3 * a->width) &&
                     WebPAnimEncoderAdd(a->encoder, &picture, time, &a->config);
    WebPPictureFree(&picture);
    return good;
}

/* Number of frames of an encoded image: its ANMF chunks; a still image has none. */
static int count_frames(const WebPData *data)
{
    int count = 0;
    for (size_t at = 12; at + 8 <= data->size;) {
        const unsigned char *size = data->bytes + at + 4;
        count += memcmp(data->bytes + at, "ANMF", 4) == 0;
        const size_t length =
            size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
        at += 8 + length + length % 2;
    }
    return count ? count : 1;
}

int animation_write(animation *a, int time, FILE *out, int *frames)
{
    WebPData data;
    WebPDataInit(&data);
    errno = ENOMEM;
    const int good = WebPAnimEncoderAdd(a->encoder, NULL, time, NULL) &&
                     WebPAnimEncoderAssemble(a->encoder, &data) &&
                     fwrite(data.bytes, 1, data.size, out) == data.size;
    *frames = good ? count_frames(&data) : 0;
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
