/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The checksum of HDF5's newer metadata: Bob Jenkins' lookup3 (public domain, 2006), byte by byte
 * and started from zero.
 */
#include "io/hdf5_parse.h"

static uint32_t rotate(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

/* lookup3's mix(a, b, c): six rounds that go around the three words. */
static void mix(uint32_t s[3])
{
    static const int turns[6] = {4, 6, 8, 16, 19, 4};
    for (int k = 0; k < 6; ++k) {
        uint32_t *a = &s[k % 3], *b = &s[(k + 1) % 3], *c = &s[(k + 2) % 3];
        *a -= *c;
        *a ^= rotate(*c, turns[k]);
        *c += *b;
    }
}

/* lookup3's final(a, b, c). */
static void finish(uint32_t s[3])
{
    static const int turns[7] = {14, 11, 25, 16, 4, 14, 24};
    for (int k = 0; k < 7; ++k) {
        uint32_t *to = &s[(k + 2) % 3];
        const uint32_t from = s[(k + 1) % 3];
        *to ^= from;
        *to -= rotate(from, turns[k]);
    }
}

static void add(uint32_t s[3], const unsigned char *p, size_t length)
{
    for (size_t k = 0; k < length; ++k) {
        s[k / 4] += (uint32_t)p[k] << 8 * (k % 4);
    }
}

uint32_t mo_h5_checksum(const unsigned char *p, size_t length)
{
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)length;
    for (; length > 12; p += 12, length -= 12) {
        add(s, p, 12);
        mix(s);
    }
    if (length > 0) {
        add(s, p, length);
        finish(s);
    }
    return s[2];
}
