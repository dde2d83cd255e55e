/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gif.h"

#include <errno.h>
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 32, CELLS = LEVELS * LEVELS * LEVELS, COLOURS = 256 };

struct gif {
    int width, height;
    GifFileType *file;
    unsigned count[CELLS];      /* pixels of a frame in each cell of colours */
    unsigned char place[CELLS]; /* the cell's colour in the palette */
    unsigned char *pixels;      /* of a row, by their place in the palette */
};

/* Cells low to high, inclusive, of red, green and blue. */
typedef struct box {
    int low[3], high[3];
    unsigned count;
} box;

static int cell_at(int red, int green, int blue)
{
    return (red * LEVELS + green) * LEVELS + blue;
}

/* ---- the palette ----------------------------------------------------------------------------- */

/* The cells of the box; what they hold along an axis, where `sums` is given. */
static unsigned survey(const gif *g, const box *b, int axis, unsigned *sums)
{
    unsigned count = 0;
    int at[3];
    for (at[0] = b->low[0]; at[0] <= b->high[0]; ++at[0]) {
        for (at[1] = b->low[1]; at[1] <= b->high[1]; ++at[1]) {
            for (at[2] = b->low[2]; at[2] <= b->high[2]; ++at[2]) {
                const unsigned here = g->count[cell_at(at[0], at[1], at[2])];
                count += here;
                if (sums) sums[at[axis]] += here;
            }
        }
    }
    return count;
}

static int longest_axis(const box *b)
{
    int best = 0;
    for (int k = 1; k < 3; ++k)
        best = b->high[k] - b->low[k] > b->high[best] - b->low[best] ? k : best;
    return best;
}

/* Splits the box at the median of its longest side; false if it is one cell. */
static int cut(const gif *g, box *b, box *other)
{
    const int axis = longest_axis(b);
    unsigned sums[LEVELS] = {0}, below = 0;
    int at = b->low[axis];
    if (b->low[axis] == b->high[axis]) return 0;
    const unsigned count = survey(g, b, axis, sums);
    while (at + 1 < b->high[axis] && below + sums[at] < (count + 1) / 2)
        below += sums[at++];
    *other = *b;
    other->low[axis] = at + 1;
    b->high[axis] = at;
    b->count = survey(g, b, 0, NULL);
    other->count = survey(g, other, 0, NULL);
    return 1;
}

/* The box to split next: many pixels over a long side. */
static int worst(const box *boxes, int count)
{
    int best = 0;
    double most = -1;
    for (int k = 0; k < count; ++k) {
        const int axis = longest_axis(boxes + k);
        const double score = (double)boxes[k].count * (boxes[k].high[axis] - boxes[k].low[axis]);
        if (score > most) {
            most = score;
            best = k;
        }
    }
    return best;
}

/* The mean colour of a box, and the index of its cells. */
static void settle(gif *g, const box *b, int place, GifColorType *colour)
{
    double sum[3] = {0, 0, 0}, weight = 0;
    int at[3];
    for (at[0] = b->low[0]; at[0] <= b->high[0]; ++at[0]) {
        for (at[1] = b->low[1]; at[1] <= b->high[1]; ++at[1]) {
            for (at[2] = b->low[2]; at[2] <= b->high[2]; ++at[2]) {
                const int cell = cell_at(at[0], at[1], at[2]);
                g->place[cell] = (unsigned char)place;
                weight += g->count[cell];
                for (int k = 0; k < 3; ++k)
                    sum[k] += g->count[cell] * (8.0 * at[k] + 3.5);
            }
        }
    }
    colour->Red = (GifByteType)(weight > 0 ? sum[0] / weight : 8 * b->low[0]);
    colour->Green = (GifByteType)(weight > 0 ? sum[1] / weight : 8 * b->low[1]);
    colour->Blue = (GifByteType)(weight > 0 ? sum[2] / weight : 8 * b->low[2]);
}

static void make_palette(gif *g, GifColorType colours[COLOURS])
{
    box boxes[COLOURS] = {{.high = {LEVELS - 1, LEVELS - 1, LEVELS - 1}}};
    int count = 1;
    boxes[0].count = survey(g, boxes, 0, NULL);
    while (count < COLOURS && cut(g, &boxes[worst(boxes, count)], &boxes[count]))
        ++count;
    for (int k = 0; k < count; ++k)
        settle(g, boxes + k, k, colours + k);
}

/* The level of a value with a threshold of the dither, both from 0 to 255. */
static int level(int value, int threshold)
{
    const int up = value + (threshold >> 5) - 4;
    return (up < 0 ? 0 : up > 255 ? 255 : up) >> 3;
}

static int cell_of(const unsigned char *p, int x, int y)
{
    static const unsigned char BAYER[4][4] = {
        {0, 128, 32, 160}, {192, 64, 224, 96}, {48, 176, 16, 144}, {240, 112, 208, 80}};
    const int t = BAYER[y & 3][x & 3];
    return cell_at(level(p[0], t), level(p[1], t), level(p[2], t));
}

/* ---- the file -------------------------------------------------------------------------------- */

int gif_is_built_in(void)
{
    return 1;
}

static int write_some(GifFileType *file, const GifByteType *bytes, int count)
{
    return (int)fwrite(bytes, 1, (size_t)count, file->UserData);
}

/* The Netscape extension for loops; a count of 0 repeats endlessly. */
static int put_repeat(GifFileType *file)
{
    static const unsigned char FOR_EVER[3] = {1, 0, 0};
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(file, 3, FOR_EVER) == GIF_OK &&
           EGifPutExtensionTrailer(file) == GIF_OK;
}

gif *gif_begin(int width, int height, FILE *out)
{
    gif *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->width = width;
    g->height = height;
    g->pixels = malloc((size_t)width);
    g->file = g->pixels ? EGifOpen(out, write_some, NULL) : NULL;
    if (!g->file) {
        free(g->pixels);
        free(g);
        return NULL;
    }
    EGifSetGifVersion(g->file, true);
    if (EGifPutScreenDesc(g->file, width, height, 8, 0, NULL) != GIF_OK || !put_repeat(g->file)) {
        gif_end(g);
        return NULL;
    }
    return g;
}

static int put_delay(GifFileType *file, int hundredths)
{
    const GraphicsControlBlock how = {.DisposalMode = DISPOSE_DO_NOT,
                                      .UserInputFlag = false,
                                      .DelayTime = hundredths,
                                      .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    return EGifGCBToExtension(&how, bytes) == 4 &&
           EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, bytes) == GIF_OK;
}

int gif_add(gif *g, const unsigned char *bytes, int hundredths)
{
    ColorMapObject *map = GifMakeMapObject(COLOURS, NULL);
    const size_t wide = (size_t)g->width;
    errno = map ? EIO : ENOMEM;
    if (!map) return 0;
    memset(g->count, 0, sizeof g->count);
    for (int y = 0; y < g->height; ++y)
        for (int x = 0; x < g->width; ++x)
            g->count[cell_of(bytes + 3 * ((size_t)y * wide + (size_t)x), x, y)] += 1;
    make_palette(g, map->Colors);
    int good = put_delay(g->file, hundredths) &&
               EGifPutImageDesc(g->file, 0, 0, g->width, g->height, false, map) == GIF_OK;
    for (int y = 0; y < g->height && good; ++y) {
        for (int x = 0; x < g->width; ++x)
            g->pixels[x] = g->place[cell_of(bytes + 3 * ((size_t)y * wide + (size_t)x), x, y)];
        good = EGifPutLine(g->file, g->pixels, g->width) == GIF_OK;
    }
    GifFreeMapObject(map);
    return good;
}

int gif_end(gif *g)
{
    int good = 1;
    if (g) {
        errno = EIO;
        good = EGifCloseFile(g->file, NULL) == GIF_OK;
        free(g->pixels);
        free(g);
    }
    return good;
}
