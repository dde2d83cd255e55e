/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The type, the size and the storage of a dataset [hdf5-format, IV.A.2.b, d, e, f, i, l].
 *
 * A dataset passes when its values are all in the file: as many bytes as elements times element
 * size, in the header (compact), in one piece (contiguous), or in chunks (hdf5_chunks.c).  A
 * claim of more than was ever written is refused or, where nothing was written at all, marked, so
 * that memory asked for a dataset is bounded by the file.
 */
#include <string.h>

#include "io/hdf5_parse.h"

enum { MAX_RANK = 32, LAYOUT_COMPACT = 0, LAYOUT_CONTIGUOUS = 1, LAYOUT_CHUNKED = 2 };

/* ---- element type ---------------------------------------------------------------------------- */

static bool is_whole_integer(const unsigned char *p, size_t size)
{
    return (size == 1 || size == 2 || size == 4 || size == 8) && (p[1] & 0xF6) == 0 && p[2] == 0 &&
           p[3] == 0 && mo_h5_number(p + 8, 2) == 0 && mo_h5_number(p + 10, 2) == 8 * size;
}

/* IEEE 754 single or double, either byte order: the bit field, then offset to bias. */
static bool is_ieee_float(const unsigned char *p, size_t size)
{
    static const unsigned char single[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
    static const unsigned char twice[12] = {0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0};
    return (p[1] & ~1u) == 0x20 && p[3] == 0 &&
           ((size == 4 && p[2] == 31 && memcmp(p + 8, single, 12) == 0) ||
            (size == 8 && p[2] == 63 && memcmp(p + 8, twice, 12) == 0));
}

static bool read_type(mo_h5 *h, const mo_h5_message *message, mo_h5_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 8 ? p[0] >> 4 : 0;
    MO_FAIL_IF(version < 1 || version > 3, mo_h5_fault(h, "has a damaged type"));
    const size_t size = (size_t)mo_h5_number(p + 4, 4);
    dataset->type_size = size;
    dataset->type = MO_H5_OTHER;
    switch (p[0] & 15) {
    case 0:
        if (message->size >= 12 && is_whole_integer(p, size)) {
            dataset->type = MO_H5_INTEGER;
            dataset->is_signed = p[1] & 8;
            dataset->is_big_endian = p[1] & 1;
        }
        break;
    case 1:
        if (message->size >= 20 && is_ieee_float(p, size)) {
            dataset->type = MO_H5_FLOAT;
            dataset->is_big_endian = p[1] & 1;
        }
        break;
    case 3:
        if (size >= 1 && (p[1] & 15) <= 2 && p[1] >> 4 <= 1 && p[2] == 0 && p[3] == 0) {
            dataset->type = MO_H5_TEXT;
            dataset->space_padded = (p[1] & 15) == 2;
        }
        break;
    default:
        break;
    }
    return true;
}

/* ---- number of elements ---------------------------------------------------------------------- */

static bool count_elements(mo_h5 *h, const unsigned char *dims, mo_h5_dataset *dataset)
{
    dataset->count = 1;
    for (int k = 0; k < dataset->rank; ++k) {
        const uint64_t n = mo_h5_number(dims + (size_t)k * 8, 8);
        MO_FAIL_IF(n && dataset->count > UINT64_MAX / n,
                   mo_h5_fault(h, "has more elements than can be counted"));
        dataset->count *= n;
    }
    return true;
}

static bool read_space(mo_h5 *h, const mo_h5_message *message, mo_h5_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 4 ? p[0] : 0;
    const size_t head = version == 1 ? 8 : 4;
    MO_FAIL_IF((version != 1 && version != 2) || message->size < head || p[1] > MAX_RANK ||
                   p[2] > 1,
               mo_h5_fault(h, "has a damaged shape"));
    dataset->rank = p[1];
    MO_FAIL_IF(message->size - head < (size_t)p[1] * 8 * (p[2] & 1 ? 2 : 1),
               mo_h5_fault(h, "has a damaged shape"));
    if (version == 2) {
        /* 0: one element, 1: an array, 2: nothing at all. */
        MO_FAIL_IF(p[3] > 2 || (p[3] == 1) != (p[1] > 0), mo_h5_fault(h, "has a damaged shape"));
        MO_FAIL_IF(p[3] == 2, mo_h5_fault(h, "is empty (a null dataspace)"));
    }
    return count_elements(h, p + head, dataset);
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool check_length(mo_h5 *h, uint64_t needed, uint64_t held)
{
    return needed == held ||
           mo_h5_fault(h, "should hold %llu bytes and holds %llu; the file is damaged",
                       (unsigned long long)needed, (unsigned long long)held);
}

/* The values are in the header. */
static bool read_compact(mo_h5 *h, const mo_h5_message *message, uint64_t bytes,
                         const mo_h5_dataset *dataset, const mo_h5_run *run)
{
    MO_FAIL_IF(message->size < 4 || mo_h5_number(message->data + 2, 2) > message->size - 4,
               mo_h5_fault(h, "has a damaged layout"));
    MO_PASS(check_length(h, bytes, mo_h5_number(message->data + 2, 2)));
    if (run && run->count) {
        memcpy(run->to, message->data + 4 + run->first * dataset->type_size,
               (size_t)run->count * dataset->type_size);
    }
    return true;
}

static bool read_contiguous(mo_h5 *h, const mo_h5_message *message, uint64_t bytes,
                            mo_h5_dataset *dataset, const mo_h5_run *run)
{
    MO_FAIL_IF(message->size < 18, mo_h5_fault(h, "has a damaged layout"));
    const uint64_t address = mo_h5_number(message->data + 2, 8);
    MO_PASS(check_length(h, bytes, mo_h5_number(message->data + 10, 8)));
    dataset->is_unwritten = bytes > 0 && address == MO_H5_NOWHERE;
    if (bytes == 0 || dataset->is_unwritten) {
        return true;
    }
    MO_FAIL_IF(!mo_h5_inside(h, address, bytes),
               mo_h5_fault(h, "has values outside the file: %llu bytes in a file of %llu",
                           (unsigned long long)bytes, (unsigned long long)h->size));
    return !run || mo_h5_bytes(h, address + run->first * dataset->type_size,
                               (size_t)run->count * dataset->type_size, run->to, "values");
}

static bool read_layout(mo_h5 *h, const mo_h5_header *header, const mo_h5_message *message,
                        mo_h5_dataset *dataset, const mo_h5_run *run)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 2 ? p[0] : 0;
    const mo_h5_message *filters = header->of[MO_H5_FILTERS];
    MO_FAIL_IF(version < 3 || version > 4,
               mo_h5_fault(h, "has a layout of an unknown version; rewrite the file with "
                              "h5repack"));
    if (p[1] == LAYOUT_CHUNKED && version == 3) {
        return mo_h5_read_chunks(h, message, filters, dataset, run);
    }
    MO_FAIL_IF(p[1] == LAYOUT_CHUNKED,
               mo_h5_fault(h, "is chunked in a form that came with HDF5 1.10; rewrite the file "
                              "with h5repack"));
    MO_FAIL_IF(filters, mo_h5_fault(h, "has filters but no chunks; the file is damaged"));
    MO_FAIL_IF(dataset->count > UINT64_MAX / dataset->type_size,
               mo_h5_fault(h, "has more elements than can be counted"));
    const uint64_t bytes = dataset->count * dataset->type_size;
    switch (p[1]) {
    case LAYOUT_COMPACT:
        return read_compact(h, message, bytes, dataset, run);
    case LAYOUT_CONTIGUOUS:
        return read_contiguous(h, message, bytes, dataset, run);
    default:
        return mo_h5_fault(h, "is virtual: its values lie in other files; copy them into this "
                              "one with h5repack");
    }
}

/* ---- datasets -------------------------------------------------------------------------------- */

static bool read_dataset(mo_h5 *h, const mo_h5_header *header, mo_h5_dataset *dataset,
                         const mo_h5_run *run)
{
    const mo_h5_message *type = header->of[MO_H5_TYPE], *space = header->of[MO_H5_SPACE];
    const mo_h5_message *layout = header->of[MO_H5_LAYOUT];
    MO_FAIL_IF(header->of[MO_H5_SYMBOL_TABLE] || header->of[MO_H5_LINK_INFO],
               mo_h5_fault(h, "is a group where a dataset is needed"));
    MO_FAIL_IF(!type || !space || !layout, mo_h5_fault(h, "is not a dataset"));
    MO_FAIL_IF(header->of[MO_H5_EXTERNAL_FILES],
               mo_h5_fault(h, "keeps its values in another file; copy them into this one with "
                              "h5repack"));
    MO_PASS(read_type(h, type, dataset));
    if (dataset->type == MO_H5_OTHER) {
        return true; /* the caller does not use it */
    }
    return read_space(h, space, dataset) && read_layout(h, header, layout, dataset, run);
}

bool mo_h5_read_dataset(mo_h5 *h, uint64_t address, mo_h5_dataset *dataset, const mo_h5_run *run)
{
    mo_h5_header header;
    *dataset = (mo_h5_dataset){.type = MO_H5_OTHER};
    mo_pool pool = {.allocator = *h->allocator};
    h->budget = h->size;
    h->pool = &pool;
    const bool good =
        mo_h5_read_header(h, address, &header) && read_dataset(h, &header, dataset, run);
    h->pool = NULL;
    mo_pool_clear(&pool);
    return good;
}
