/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Writing HDF5 files by libhdf5; see hdf5.h.  What libhdf5 prints is off until mo_h5_close. */
#include <string.h>

#include "base/memory.h"
#include "io/hdf5_parse.h"

bool mo_h5_create(mo_h5 *h, const char *path, const mo_allocator *allocator, mo_message *why)
{
    enum { GROWTH = 1 << 20 };
    mo_h5_begin(h, path, allocator, why);
    H5Eget_auto2(H5E_DEFAULT, &h->printer, &h->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    h->is_writing = true;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, GROWTH, 0) >= 0) /* 0: nothing reaches the disk */
        h->out = H5Fcreate("in-memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return h->out >= 0 || mo_h5_fail(h, MO_ERR_FILE, "HDF5 cannot build the file in memory");
}

void mo_h5_close_out(mo_h5 *h)
{
    if (!h->is_writing) return;
    if (h->out >= 0 && H5Fclose(h->out) < 0)
        mo_h5_fail(h, MO_ERR_FILE, "HDF5 could not close the file");
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, h->printer, h->printer_data);
}

bool mo_h5_image(mo_h5 *h, void **bytes, size_t *size)
{
    *bytes = NULL;
    MO_PASS(!h->error);
    const ssize_t needed =
        H5Fflush(h->out, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(h->out, NULL, 0);
    MO_FAIL_IF(needed < 0, mo_h5_fail(h, MO_ERR_FILE, "HDF5 cannot finish the file"));
    *size = (size_t)needed;
    *bytes = mo_memory_array(h->allocator, *size, 1);
    MO_FAIL_IF(!*bytes, mo_h5_no_memory(h));
    return H5Fget_file_image(h->out, *bytes, *size) == needed ||
           mo_h5_fail(h, MO_ERR_FILE, "HDF5 cannot finish the file");
}

bool mo_h5_make_group(mo_h5 *h, const char *path)
{
    MO_PASS(!h->error);
    const hid_t id = H5Gcreate2(h->out, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    snprintf(h->group, sizeof h->group, "%s", path);
    return (id >= 0 && H5Gclose(id) >= 0) ||
           mo_h5_fail(h, MO_ERR_FILE, "HDF5 cannot write %s; is memory short?", path);
}

/* A dataset without a time stamp, so that the same problem gives the same bytes. */
static bool write_values(mo_h5 *h, const char *name, hid_t space, hid_t type, bool empty,
                         const void *values)
{
    char path[MO_H5_PATH + 32];
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    hid_t id = H5I_INVALID_HID;
    bool good = space >= 0 && type >= 0 && plan >= 0 && H5Pset_obj_track_times(plan, 0) >= 0;
    snprintf(path, sizeof path, "%s/%.30s", h->group, name);
    if (good) {
        id = H5Dcreate2(h->out, path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
        good = id >= 0 && (empty || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    good = (id < 0 || H5Dclose(id) >= 0) && good;
    if (plan >= 0) H5Pclose(plan);
    if (space >= 0) H5Sclose(space);
    return good || mo_h5_fail(h, MO_ERR_FILE, "HDF5 cannot write %s; is memory short?", path);
}

static bool write_vector(mo_h5 *h, const char *name, size_t count, hid_t type, const void *values)
{
    const hsize_t dims[1] = {count};
    return !h->error &&
           write_values(h, name, H5Screate_simple(1, dims, NULL), type, count == 0, values);
}

bool mo_h5_write_int(mo_h5 *h, const char *name, int value)
{
    return mo_h5_write_ints(h, name, 1, &value);
}

bool mo_h5_write_ints(mo_h5 *h, const char *name, size_t count, const int *values)
{
    return write_vector(h, name, count, H5T_NATIVE_INT, values);
}

bool mo_h5_write_doubles(mo_h5 *h, const char *name, size_t count, const double *values)
{
    return write_vector(h, name, count, H5T_NATIVE_DOUBLE, values);
}

bool mo_h5_write_text(mo_h5 *h, const char *name, const char *text)
{
    MO_PASS(!h->error);
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, strlen(text) + 1) < 0) {
        H5Tclose(type);
        type = H5I_INVALID_HID;
    }
    const bool good = write_values(h, name, H5Screate(H5S_SCALAR), type, false, text);
    if (type >= 0) H5Tclose(type);
    return good;
}
