/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Damaged inputs for every reader (fuzz_targets.c): nothing crashes, hangs or lies.
 *
 *     fuzz_readers [--cases N] [--seconds S] [--seed N] [--corpus FOLDER] [TARGET...]
 *
 * A case is a seed with one to eight changes (fuzz_mutate.c); it depends on its number and on
 * --seed alone.  The number of the case at work is in fuzz-TARGET.case, which is left where the
 * process ends: --seed NUMBER --cases 1 does it again.  --corpus writes the seeds to FOLDER/TARGET
 * and does nothing else.
 *
 * With FUZZ_ONE defined as the name of a target it is that target for libFuzzer.
 */
#define _XOPEN_SOURCE 700

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_edit.h"
#include "fuzz_targets.h"

enum { ROOM = 1 << 18, MOST_SEEDS = 64, MOST_CHANGES = 8, HANG_SECONDS = 60, NUMBER_ROOM = 32 };

typedef struct corpus {
    uint8_t *seed[MOST_SEEDS];
    size_t size[MOST_SEEDS];
    int count;
} corpus;

static void take(void *user, const void *bytes, size_t size)
{
    corpus *c = user;
    if (c->count < MOST_SEEDS && size <= ROOM && (c->seed[c->count] = malloc(size + 1))) {
        memcpy(c->seed[c->count], bytes, size);
        c->size[c->count++] = size;
    }
}

/* A seed as it is or, of HDF5 files, often edited by the means of HDF5, which are for sound files
 * alone. */
static size_t begin_case(const fuzz_target *target, const corpus *c, size_t room, mo_random *random,
                         uint8_t *input)
{
    const int k = (int)(mo_random_bits(random) % (uint64_t)c->count);
    size_t size = c->size[k] < room ? c->size[k] : room;
    memcpy(input, c->seed[k], size);
    if (target->kind == FUZZ_HDF5 && mo_random_bits(random) % 2)
        size = fuzz_edit_hdf5(input, size, room, random);
    return size;
}

#ifdef FUZZ_ONE

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_target_find(FUZZ_ONE)->run(data, size);
    return 0;
}

/* Half of the changes are libFuzzer's own, which learn from what they reach. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static corpus seeds;
    const fuzz_target *target = fuzz_target_find(FUZZ_ONE);
    mo_random random = {seed};
    if (target->kind == FUZZ_HDF5 && seed % 8 == 0) {
        if (seeds.count == 0) target->seeds(take, &seeds);
        return begin_case(target, &seeds, room, &random, data);
    }
    return seed & 1 ? LLVMFuzzerMutate(data, size, room)
                    : fuzz_change(target->kind, data, size, room, &random);
}

#else

static int write_corpus(const fuzz_target *target, const corpus *c, const char *folder)
{
    char path[512];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, target->name);
    mkdir(path, 0777);
    for (int k = 0; k < c->count; ++k) {
        snprintf(path, sizeof path, "%s/%s/seed-%d", folder, target->name, k);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(c->seed[k], 1, c->size[k], file) != c->size[k] || fclose(file) != 0) {
            perror(path);
            return 0;
        }
    }
    return 1;
}

typedef struct call {
    long cases;
    double seconds;
    uint64_t seed;
    const char *corpus;
} call;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static mo_random random_of(uint64_t number)
{
    return (mo_random){number * 0x9E3779B97F4A7C15u + 1};
}

/* Sixteen cases in a row begin with the same bytes: an edit by the means of HDF5 takes longer than
 * to read them all. */
static size_t make_case(const fuzz_target *target, const corpus *c, uint64_t number, uint8_t *input)
{
    enum { IN_A_ROW = 16 };
    static uint8_t begun[ROOM];
    static struct {
        const fuzz_target *target;
        uint64_t row;
        size_t size;
    } last;
    const uint64_t row = number / IN_A_ROW;
    if (last.target != target || last.row != row) {
        mo_random random = random_of(~row);
        last.target = target;
        last.row = row;
        last.size = begin_case(target, c, ROOM, &random, begun);
    }
    mo_random random = random_of(number);
    size_t size = last.size;
    memcpy(input, begun, size);
    for (uint64_t changes = 1 + mo_random_bits(&random) % MOST_CHANGES; changes > 0; --changes)
        size = fuzz_change(target->kind, input, size, ROOM, &random);
    return size;
}

/* A file that has what is written there, whatever becomes of the process. */
static char *map_file(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    char *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, NUMBER_ROOM) == 0)
        at = mmap(NULL, NUMBER_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(file);
    return at;
}

/* The seeds as they are, then cases until the time or their number is up. */
static long run_cases(const fuzz_target *target, const corpus *c, const call *asked)
{
    static uint8_t input[ROOM];
    char kept[64];
    const double start = now();
    long done = 0;
    snprintf(kept, sizeof kept, "fuzz-%s.case", target->name);
    char *number = map_file(kept);
    for (int k = 0; k < c->count; ++k)
        target->run(c->seed[k], c->size[k]);
    while (done < asked->cases && now() - start < asked->seconds) {
        const uint64_t at = asked->seed + (uint64_t)done;
        const size_t size = make_case(target, c, at, input);
        snprintf(number, NUMBER_ROOM, "%llu\n", (unsigned long long)at);
        alarm(HANG_SECONDS);
        target->run(input, size);
        ++done;
    }
    alarm(0);
    munmap(number, NUMBER_ROOM);
    remove(kept);
    return done;
}

static int fuzz(const fuzz_target *target, const call *asked, FILE *out)
{
    corpus c = {.count = 0};
    int good = 1;
    target->seeds(take, &c);
    if (asked->corpus) {
        good = write_corpus(target, &c, asked->corpus);
    } else {
        const long done = run_cases(target, &c, asked);
        fprintf(out, "%-12s %d seeds, %ld cases\n", target->name, c.count, done);
        fflush(out);
    }
    for (int k = 0; k < c.count; ++k)
        free(c.seed[k]);
    return good && c.count > 0;
}

int main(int argc, char **argv)
{
    call asked = {.cases = 2000000000, .seconds = 0.3, .seed = 1};
    int first = 1, good = 1;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        const char *flag = argv[first], *value = argv[first + 1];
        if (strcmp(flag, "--cases") == 0) {
            asked.cases = atol(value);
            asked.seconds = 1e9;
        } else if (strcmp(flag, "--seconds") == 0) {
            asked.seconds = atof(value);
        } else if (strcmp(flag, "--seed") == 0) {
            asked.seed = (uint64_t)atoll(value);
        } else if (strcmp(flag, "--corpus") == 0) {
            asked.corpus = value;
        }
    }
    /* what a parser of command lines says is no news */
    FILE *out = fdopen(dup(STDOUT_FILENO), "w");
    if (!out || !freopen("/dev/null", "w", stdout)) return 1;
    for (int k = 0; first >= argc && fuzz_target_at(k) && good; ++k)
        good = fuzz(fuzz_target_at(k), &asked, out);
    for (int k = first; k < argc && good; ++k) {
        const fuzz_target *target = fuzz_target_find(argv[k]);
        good = target && fuzz(target, &asked, out);
    }
    fclose(out);
    return good ? 0 : 1;
}

#endif
