/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Copies of an HDF5 file in other kinds of storage. */
#include "fuzz_edit.h"

#include <hdf5.h>
#include <stdlib.h>

typedef struct copying {
    hid_t from, to;
    fuzz_form form;
} copying;

static hid_t plan_for(fuzz_form form, hid_t space)
{
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    const bool is_vector = H5Sget_simple_extent_ndims(space) == 1;
    const hsize_t chunk[1] = {form == FUZZ_CHUNKED ? 3 : 7};
    if (form == FUZZ_COMPACT) H5Pset_layout(plan, H5D_COMPACT);
    if ((form == FUZZ_CHUNKED || form == FUZZ_COMPRESSED) && is_vector)
        H5Pset_chunk(plan, 1, chunk);
    if (form == FUZZ_COMPRESSED && is_vector) {
        H5Pset_shuffle(plan);
        H5Pset_deflate(plan, 6);
        H5Pset_fletcher32(plan);
    }
    return plan;
}

static void copy_dataset(const copying *c, hid_t set, const char *name)
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const bool text = H5Tget_class(type) == H5T_STRING;
    const bool whole = H5Tget_class(type) == H5T_INTEGER;
    const hid_t swapped = text ? type : whole ? H5T_STD_I64BE : H5T_IEEE_F64BE;
    hsize_t count[1] = {1};
    H5Sget_simple_extent_dims(space, count, NULL);
    /* A vector that can grow may be chunked even where it is short. */
    const hsize_t most[1] = {H5S_UNLIMITED};
    const bool chunked = (c->form == FUZZ_CHUNKED || c->form == FUZZ_COMPRESSED) &&
                         H5Sget_simple_extent_ndims(space) == 1;
    const hid_t wider = chunked ? H5Screate_simple(1, count, most) : H5Scopy(space);
    const hid_t plan = plan_for(c->form, space);
    void *values = calloc((size_t)count[0] + 1, H5Tget_size(type) + 8);
    const hid_t copy = H5Dcreate2(c->to, name, c->form == FUZZ_BIG_ENDIAN ? swapped : type, wider,
                                  H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dwrite(copy, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    free(values);
    H5Dclose(copy);
    H5Pclose(plan);
    H5Sclose(wider);
    H5Sclose(space);
    H5Tclose(type);
}

static herr_t copy_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    const copying *c = user;
    (void)info;
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(object) == H5I_GROUP) {
        copying inner = {object, H5Gcreate2(c->to, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         c->form};
        H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_link, &inner);
        H5Gclose(inner.to);
    } else {
        copy_dataset(c, object, name);
    }
    H5Oclose(object);
    return 0;
}

bool fuzz_rewrite(const char *from, const char *to, fuzz_form form)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), plan = H5Pcreate(H5P_FILE_CREATE);
    if (form == FUZZ_NEWEST) {
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    } else {
        H5Pset_istore_k(plan, 2); /* small nodes: small files with trees of several levels */
        H5Pset_sym_k(plan, 2, 2);
    }
    copying c = {H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT),
                 H5Fcreate(to, H5F_ACC_TRUNC, plan, access), form};
    const bool good = c.from >= 0 && c.to >= 0 &&
                      H5Literate(c.from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_link, &c) >= 0;
    H5Fclose(c.from);
    H5Fclose(c.to);
    H5Pclose(access);
    H5Pclose(plan);
    return good;
}
