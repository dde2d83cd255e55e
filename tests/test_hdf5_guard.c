/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The reader of HDF5 files (hdf5.h).  Superblocks of the newer format that say what is not read;
 * and every byte of metadata of a small file in each storage, set to zero, to its largest
 * value and to its neighbour, with checksums made right again: the reader answers with data or a
 * sentence, and the sentences are many.  Trees with shared branches cost no more than the file.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "fclib_damage.h"

static char other[TEMPORARY_ROOM + 16];

static fuzz_bytes stored_as(fuzz_form form)
{
    fuzz_bytes f = {0};
    write_sample(SAMPLE_LOCAL_2D);
    snprintf(other, sizeof other, "%s/y.hdf5", directory);
    CHECK(fuzz_rewrite(file, other, form) && fuzz_load(other, &f));
    unlink(other);
    return f;
}

static void newer_superblocks_are_checked(void **state)
{
    (void)state;
    static const struct {
        int at, value, is_mended;
        const char *sentence;
    } CASES[] = {
        {9, 4, 1, "a superblock of an unknown kind"},
        {10, 4, 1, "a superblock of an unknown kind"},
        {36, 200, 0, "a superblock with a wrong checksum"},
        {11, 1, 1, "not closed by its writer"},
        {20, 48, 1, "a superblock extension"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        fuzz_bytes f = stored_as(FUZZ_NEWEST);
        CHECK(f.data[8] >= 2); /* the newer format */
        f.data[CASES[k].at] = (uint8_t)CASES[k].value;
        if (CASES[k].is_mended) fuzz_mend_checksums(&f);
        save_bytes(f.data, f.size);
        check_refused(MO_ERR_FORMAT, CASES[k].sentence, NULL);
        free(f.data);
    }
}

/* ---- parts that are used twice --------------------------------------------------------------- */

/* The offset of a signature after `at`. */
static size_t find_mark(const fuzz_bytes *f, size_t at, const char *mark)
{
    while (at + 4 <= f->size && memcmp(f->data + at, mark, 4) != 0)
        ++at;
    CHECK(at + 4 <= f->size);
    return at;
}

static void put_number(uint8_t *to, uint64_t value)
{
    for (int k = 0; k < 8; ++k)
        to[k] = (uint8_t)(value >> 8 * k);
}

/* Four levels of nodes, each with 32 times the same child: a million leaves in 3 kB. */
static void a_tree_of_links_with_shared_branches_ends(void **state)
{
    (void)state;
    enum { LEVELS = 4, FULL = 32, NODE = 24 + FULL * 8 + (FULL + 1) * 8 };
    fuzz_bytes f;
    write_sample(SAMPLE_LOCAL_2D);
    CHECK(fuzz_load(file, &f));
    const size_t tree = find_mark(&f, 0, "TREE"), size = f.size;
    uint64_t child = find_mark(&f, 0, "SNOD");
    f.data = realloc(f.data, size + (size_t)LEVELS * NODE);
    CHECK(f.data != NULL);
    for (int level = 0; level < LEVELS; ++level) {
        uint8_t *node = f.data + f.size;
        memcpy(node, f.data + tree, NODE);
        node[5] = (uint8_t)level;
        node[6] = FULL;
        for (int k = 0; k < FULL; ++k)
            put_number(node + 24 + 8 + k * 16, child);
        child = f.size;
        f.size += NODE;
    }
    for (size_t at = 0; at + 8 <= size; at += 8) /* the root group names the new tree */
        if (memcmp(f.data + at, &(uint64_t){tree}, 8) == 0) put_number(f.data + at, child);
    put_number(f.data + 40, f.size); /* the end of the file */
    save_bytes(f.data, f.size);
    check_refused(MO_ERR_FORMAT, "uses parts of the file twice", NULL);
    free(f.data);
}

/* 64 chunks that are all the same 8 kB: 512 kB in a file of 20 kB. */
static void chunks_that_share_their_values_are_refused(void **state)
{
    (void)state;
    enum { CHUNKS = 64, LENGTH = 1000, COUNT = CHUNKS * LENGTH };
    static double values[COUNT];
    mo_random random = {1};
    const hsize_t count = COUNT, length = LENGTH;
    fuzz_bytes f;
    fill_uniform(&random, 0, 1, LENGTH, values); /* the others are zero */
    const hid_t h = open_sample(SAMPLE_LOCAL_2D), space = H5Screate_simple(1, &count, NULL);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 1, &length);
    H5Pset_deflate(plan, 6);
    H5Ldelete(h, "/fclib_local/W/x", H5P_DEFAULT);
    const hid_t set =
        H5Dcreate2(h, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
    H5Fclose(h);
    CHECK(fuzz_load(file, &f));
    size_t tree = find_mark(&f, 0, "TREE");
    while (f.data[tree + 4] != 1)
        tree = find_mark(&f, tree + 1, "TREE");
    assert_int_equal(f.data[tree + 6], CHUNKS);
    for (int k = 1; k < CHUNKS; ++k) {
        uint8_t *first = f.data + tree + 24, *key = first + (size_t)k * 32;
        memcpy(key, first, 4);           /* size */
        memcpy(key + 24, first + 24, 8); /* address */
    }
    save_bytes(f.data, f.size);
    check_refused(MO_ERR_FORMAT, "uses parts of the file twice", NULL);
    free(f.data);
}

/* ---- every byte ------------------------------------------------------------------------------ */

enum { MOST_SENTENCES = 400 };
static char sentences[MOST_SENTENCES][64]; /* the heads of those that were said */
static int sentence_count;

/* "the file is damaged: has a ..." without what comes before: the path and the place. */
static void keep_sentence(const mo_message *why)
{
    const char *head = strstr(why->text, " has ");
    char text[64];
    int k = 0;
    snprintf(text, sizeof text, "%s", head ? head : "other");
    while (k < sentence_count && strcmp(sentences[k], text) != 0)
        ++k;
    if (k == sentence_count && k < MOST_SENTENCES)
        memcpy(sentences[sentence_count++], text, sizeof text);
}

static void try_bytes(fuzz_bytes *f, const uint8_t *sound, size_t at, int value)
{
    mo_document document;
    mo_message why = {{0}};
    f->data[at] = (uint8_t)value;
    fuzz_mend_checksums(f);
    save_bytes(f->data, f->size);
    const mo_error error = mo_fclib_read(file, NULL, &document, &why);
    if (error && !why.text[0])
        fail_msg("byte %zu as %d: error %d without a sentence", at, value, (int)error);
    if (error) keep_sentence(&why);
    mo_document_clear(&document);
    memcpy(f->data, sound, f->size);
}

static void every_byte_of_metadata_may_be_wrong(void **state)
{
    (void)state;
    for (int form = 0; form < FUZZ_FORMS; ++form) {
        fuzz_bytes f = stored_as((fuzz_form)form);
        uint8_t *sound = malloc(f.size);
        CHECK(sound != NULL);
        memcpy(sound, f.data, f.size);
        /* Few of the zeros, most of which mean nothing, and every 13th of the others. */
        for (size_t at = 0, zeros = 0, others = 0; at < f.size; ++at) {
            const int was = sound[at];
            if (was ? others++ % 13 : zeros++ % 127) continue;
            try_bytes(&f, sound, at, was ? 0 : 1);
            try_bytes(&f, sound, at, was == 255 ? 254 : 255);
            try_bytes(&f, sound, at, was ^ 2);
        }
        free(sound);
        free(f.data);
    }
    if (sentence_count < 40) fail_msg("only %d sentences", sentence_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newer_superblocks_are_checked),
        cmocka_unit_test(a_tree_of_links_with_shared_branches_ends),
        cmocka_unit_test(chunks_that_share_their_values_are_refused),
        cmocka_unit_test(every_byte_of_metadata_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
