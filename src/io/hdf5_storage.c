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

#include "base/memory.h"
#include "io/hdf5_chunks.h"
#include "io/hdf5_parse.h"

enum { MAX_RANK = 32, LAYOUT_COMPACT = 0, LAYOUT_CONTIGUOUS = 1, LAYOUT_CHUNKED = 2 };

/* ---- element type ---------------------------------------------------------------------------- */

static bool is_whole_integer(const unsigned char *p, size_t size)
{
    return (size == 1 || size == 2 || size == 4 || size == 8) && (p[1] & 0xF6) == 0 && p[2] == 0 &&
           p[3] == 0 && mo_guard_number(p + 8, 2) == 0 && mo_guard_number(p + 10, 2) == 8 * size;
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

static bool read_type(mo_guard *guard, const mo_guard_message *message, mo_guard_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 8 ? p[0] >> 4 : 0;
    if (version < 1 || version > 3) {
        return mo_guard_fault(guard, "has a damaged type");
    }
    const size_t size = (size_t)mo_guard_number(p + 4, 4);
    dataset->type_size = size;
    dataset->type = MO_GUARD_OTHER;
    switch (p[0] & 15) {
    case 0:
        if (message->size >= 12 && is_whole_integer(p, size)) {
            dataset->type = MO_GUARD_INTEGER;
            dataset->is_signed = p[1] & 8;
        }
        break;
    case 1:
        if (message->size >= 20 && is_ieee_float(p, size)) {
            dataset->type = MO_GUARD_FLOAT;
        }
        break;
    case 3:
        if (size >= 1 && (p[1] & 15) <= 2 && p[1] >> 4 <= 1 && p[2] == 0 && p[3] == 0) {
            dataset->type = MO_GUARD_TEXT;
            dataset->space_padded = (p[1] & 15) == 2;
        }
        break;
    default:
        break;
    }
    return true;
}

/* ---- number of elements ---------------------------------------------------------------------- */

static bool count_elements(mo_guard *guard, const unsigned char *dims, mo_guard_dataset *dataset)
{
    dataset->count = 1;
    for (int k = 0; k < dataset->rank; ++k) {
        const uint64_t n = mo_guard_number(dims + (size_t)k * 8, 8);
        if (n && dataset->count > UINT64_MAX / n) {
            return mo_guard_fault(guard, "has more elements than can be counted");
        }
        dataset->count *= n;
    }
    return true;
}

static bool read_space(mo_guard *guard, const mo_guard_message *message, mo_guard_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 4 ? p[0] : 0;
    const size_t head = version == 1 ? 8 : 4;
    if ((version != 1 && version != 2) || message->size < head || p[1] > MAX_RANK || p[2] > 1) {
        return mo_guard_fault(guard, "has a damaged shape");
    }
    dataset->rank = p[1];
    if (message->size - head < (size_t)p[1] * 8 * (p[2] & 1 ? 2 : 1)) {
        return mo_guard_fault(guard, "has a damaged shape");
    }
    if (version == 2) {
        /* 0: one element, 1: an array, 2: nothing at all. */
        if (p[3] > 2 || (p[3] == 1) != (p[1] > 0)) {
            return mo_guard_fault(guard, "has a damaged shape");
        }
        if (p[3] == 2) {
            return mo_guard_fault(guard, "holds nothing (a null dataspace)");
        }
    }
    return count_elements(guard, p + head, dataset);
}

/* ---- fill value ------------------------------------------------------------------------------ */

/* libhdf5 copies a fill value as if it had the size of an element. */
static bool fill_fits(const mo_guard_message *message, size_t head, size_t type_size)
{
    if (message->size < head + 4) {
        return false;
    }
    const uint64_t size = mo_guard_number(message->data + head, 4);
    return size == 0 || size == UINT32_MAX || /* none, or undefined */
           (size == type_size && size <= message->size - head - 4);
}

static bool check_fill(mo_guard *guard, const mo_guard_message *message, size_t type_size)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 2 ? p[0] : 0;
    bool good = false;
    if (version == 1) {
        good = message->size >= 8 && fill_fits(message, 4, type_size);
    } else if (version == 2) {
        good = message->size >= 4 && (p[3] == 0 || (p[3] == 1 && fill_fits(message, 4, type_size)));
    } else if (version == 3) {
        /* bits 4 and 5: undefined, defined */
        good = (p[1] & 0xC0) == 0 && (p[1] & 0x30) != 0x30 &&
               (!(p[1] & 0x20) || fill_fits(message, 2, type_size));
    }
    return good || mo_guard_fault(guard, "has a damaged fill value");
}

static bool check_fills(mo_guard *guard, const mo_guard_header *header, size_t type_size)
{
    const mo_guard_message *fill, *old;
    if (!mo_guard_message_of(guard, header, MO_H5_FILL, &fill) ||
        !mo_guard_message_of(guard, header, MO_H5_FILL_OLD, &old)) {
        return false;
    }
    if (old && !fill_fits(old, 0, type_size)) {
        return mo_guard_fault(guard, "has a damaged fill value");
    }
    return !fill || check_fill(guard, fill, type_size);
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool check_compact(mo_guard *guard, const mo_guard_message *message, uint64_t bytes)
{
    if (message->size < 4) {
        return mo_guard_fault(guard, "has a damaged layout");
    }
    const uint64_t size = mo_guard_number(message->data + 2, 2);
    return (size == bytes && size <= message->size - 4) ||
           mo_guard_fault(guard, "should hold %llu bytes and holds %llu; the file is damaged",
                          (unsigned long long)bytes, (unsigned long long)size);
}

static bool check_contiguous(mo_guard *guard, const mo_guard_message *message, uint64_t bytes,
                             mo_guard_dataset *dataset)
{
    if (message->size < 18) {
        return mo_guard_fault(guard, "has a damaged layout");
    }
    const uint64_t address = mo_guard_number(message->data + 2, 8);
    const uint64_t size = mo_guard_number(message->data + 10, 8);
    if (size != bytes) {
        return mo_guard_fault(guard, "should hold %llu bytes and holds %llu; the file is damaged",
                              (unsigned long long)bytes, (unsigned long long)size);
    }
    if (bytes == 0) {
        return true;
    }
    if (address == MO_GUARD_NOWHERE) {
        dataset->is_unwritten = true;
        return true;
    }
    return mo_guard_inside(guard, address, size) ||
           mo_guard_fault(guard, "has values outside the file: %llu bytes in a file of %llu",
                          (unsigned long long)size, (unsigned long long)guard->size);
}

static bool check_layout(mo_guard *guard, const mo_guard_header *header,
                         const mo_guard_message *message, mo_guard_dataset *dataset)
{
    const unsigned char *p = message->data;
    const unsigned version = message->size >= 2 ? p[0] : 0;
    const mo_guard_message *filters;
    if (version < 3 || version > 4) {
        return mo_guard_fault(guard, "has a layout of an unknown version; rewrite the file with "
                                     "h5repack");
    }
    if (!mo_guard_message_of(guard, header, MO_H5_FILTERS, &filters)) {
        return false;
    }
    if (p[1] == LAYOUT_CHUNKED && version == 3) {
        return mo_guard_check_chunks(guard, message, filters, dataset);
    }
    if (p[1] == LAYOUT_CHUNKED) {
        return mo_guard_fault(guard,
                              "is chunked in a form that came with HDF5 1.10; rewrite the file "
                              "with h5repack");
    }
    if (filters) {
        return mo_guard_fault(guard, "has filters but no chunks; the file is damaged");
    }
    if (dataset->count > UINT64_MAX / dataset->type_size) {
        return mo_guard_fault(guard, "has more elements than can be counted");
    }
    const uint64_t bytes = dataset->count * dataset->type_size;
    switch (p[1]) {
    case LAYOUT_COMPACT:
        return check_compact(guard, message, bytes);
    case LAYOUT_CONTIGUOUS:
        return check_contiguous(guard, message, bytes, dataset);
    default:
        return mo_guard_fault(guard,
                              "is virtual: its values lie in other files; copy them into this "
                              "one with h5repack");
    }
}

/* ---- datasets -------------------------------------------------------------------------------- */

static bool check_dataset(mo_guard *guard, const mo_guard_header *header, mo_guard_dataset *dataset)
{
    const mo_guard_message *type, *space, *layout, *external, *symbol_table, *link_info;
    if (!mo_guard_message_of(guard, header, MO_H5_TYPE, &type) ||
        !mo_guard_message_of(guard, header, MO_H5_SPACE, &space) ||
        !mo_guard_message_of(guard, header, MO_H5_LAYOUT, &layout) ||
        !mo_guard_message_of(guard, header, MO_H5_EXTERNAL, &external) ||
        !mo_guard_message_of(guard, header, MO_H5_SYMBOL_TABLE, &symbol_table) ||
        !mo_guard_message_of(guard, header, MO_H5_LINK_INFO, &link_info)) {
        return false;
    }
    if (symbol_table || link_info) {
        return mo_guard_fault(guard, "is a group where a dataset is needed");
    }
    if (!type || !space || !layout) {
        return mo_guard_fault(guard, "is not a dataset");
    }
    if (external) {
        return mo_guard_fault(guard,
                              "keeps its values in another file; copy them into this one with "
                              "h5repack");
    }
    if (!read_type(guard, type, dataset)) {
        return false;
    }
    if (dataset->type == MO_GUARD_OTHER) {
        return true; /* the caller will not touch it */
    }
    return read_space(guard, space, dataset) && check_fills(guard, header, dataset->type_size) &&
           check_layout(guard, header, layout, dataset);
}

bool mo_guard_read_dataset(mo_guard *guard, uint64_t address, mo_guard_dataset *dataset)
{
    mo_guard_header header;
    *dataset = (mo_guard_dataset){.type = MO_GUARD_OTHER};
    guard->error = MO_OK;
    const bool good =
        mo_guard_read_header(guard, address, &header) && check_dataset(guard, &header, dataset);
    mo_guard_clear_header(guard, &header);
    return good;
}
