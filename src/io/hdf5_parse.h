/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by the files of the guard: bytes of the file, object headers and messages. */
#ifndef MO_IO_HDF5_PARSE_H
#define MO_IO_HDF5_PARSE_H

#include "io/hdf5_guard.h"

/* Object header messages that are known here [hdf5-format, IV.A.2]. */
enum {
    MO_H5_NIL = 0x00,
    MO_H5_SPACE = 0x01,
    MO_H5_LINK_INFO = 0x02,
    MO_H5_TYPE = 0x03,
    MO_H5_FILL_OLD = 0x04,
    MO_H5_FILL = 0x05,
    MO_H5_LINK = 0x06,
    MO_H5_EXTERNAL = 0x07,
    MO_H5_LAYOUT = 0x08,
    MO_H5_GROUP_INFO = 0x0A,
    MO_H5_FILTERS = 0x0B,
    MO_H5_ATTRIBUTE = 0x0C,
    MO_H5_COMMENT = 0x0D,
    MO_H5_CONTINUATION = 0x10,
    MO_H5_SYMBOL_TABLE = 0x11,
    MO_H5_TIME = 0x12,
    MO_H5_ATTRIBUTE_INFO = 0x15,
    MO_H5_LINK_COUNT = 0x16
};

typedef struct mo_guard_message {
    unsigned type;
    const unsigned char *data;
    size_t size;
} mo_guard_message;

/* An object header: its messages in order.  To be cleared, also after a failure. */
typedef struct mo_guard_header {
    mo_guard_message *messages;
    size_t count, room;
    unsigned char *chunks[32]; /* the bytes that the messages point into */
    size_t chunk_count;
} mo_guard_header;

bool mo_guard_read_header(mo_guard *guard, uint64_t address, mo_guard_header *header);
void mo_guard_clear_header(mo_guard *guard, mo_guard_header *header);

/* The one message of a type: NULL where there is none, a failure where there are two. */
bool mo_guard_message_of(mo_guard *guard, const mo_guard_header *header, unsigned type,
                         const mo_guard_message **message);

/* Keeps the first fault and returns false. */
bool mo_guard_fault(mo_guard *guard, const char *format, ...) MO_PRINTF(2, 3);
bool mo_guard_no_memory(mo_guard *guard);

/* Does [address, address + size) lie in the file? */
bool mo_guard_inside(const mo_guard *guard, uint64_t address, uint64_t size);

/* Copies bytes of the file; `what` names them in the fault. */
bool mo_guard_bytes(mo_guard *guard, uint64_t address, size_t size, void *to, const char *what);

/* The same into new memory. */
unsigned char *mo_guard_load(mo_guard *guard, uint64_t address, uint64_t size, const char *what);

/* A little-endian number of 1 to 8 bytes. */
uint64_t mo_guard_number(const unsigned char *p, unsigned bytes);

/* HDF5's checksum of metadata. */
uint32_t mo_guard_checksum(const unsigned char *p, size_t length);

#endif
