/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Damaged FCLIB files: the reader must return data or an error message, never crash or hang.
 *
 *     fuzz_fclib [--seconds S] [--seed N] [--cases N] [--bare] [--keep DIR] [FILE...]
 *
 * Seeds are the files given, or samples of every kind, each also rewritten in other storage
 * (chunks, filters, big-endian numbers, newer object headers, compact).  A case is a seed with a
 * few changes: bits, bytes, numbers, splices and cuts anywhere in the file, or edits of datasets
 * and links through HDF5.  Cases depend on their number and on --seed alone.
 *
 * Cases run in batches, each in a child process.  One that ends the child, or takes more than a
 * second of processor time, is reported and its file kept.
 *
 * --bare gives the files to libhdf5 instead, to show what our own reader prevents.  With
 * MOREAU_LIBFUZZER defined it is a target for libFuzzer instead of a program.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "fclib_samples.h"
#include "fuzz_edit.h"
#include "moreau/io.h"

enum { BATCH = 200, MAX_SEEDS = 256, CPU_LIMIT_S = 1, WALL_LIMIT_S = 20 };

/* What a file may cost: memory in proportion to its size, with a floor for dense blocks. */
static const size_t MEMORY_FLOOR = (size_t)512 << 20;
static const size_t MEMORY_RATIO = 4096;

#if defined(__SANITIZE_ADDRESS__)
const char *__asan_default_options(void);
/* An absurd request inside libhdf5 shows as an error, too. */
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=2048:allocator_may_return_null=0:detect_leaks=1";
}
#endif

/* ---- one file -------------------------------------------------------------------------------- */

typedef struct meter {
    size_t now, peak;
} meter;

/* An allocator that counts; each block knows its size. */
static void *metered(void *user, void *p, size_t size)
{
    enum { HEAD = 16 };
    meter *m = user;
    char *block = p ? (char *)p - HEAD : NULL;
    const size_t before = block ? *(size_t *)(void *)block : 0;
    if (size == 0) {
        m->now -= before;
        free(block);
        return NULL;
    }
    block = realloc(block, size + HEAD);
    if (!block) return NULL;
    *(size_t *)(void *)block = size;
    m->now += size - before;
    m->peak = m->now > m->peak ? m->now : m->peak;
    return block + HEAD;
}

static void demand(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_fclib: %s\n", what);
        abort();
    }
}

/* What was read must be writable, and readable again. */
static void write_and_read_again(const mo_document *document, const char *again)
{
    mo_document second;
    mo_message why = {""};
    if (mo_fclib_write(again, document, &why) != MO_OK ||
        mo_fclib_read(again, NULL, &second, &why) != MO_OK)
        demand(false, why.text);
    demand(mo_problem_row_count(second.problem) == mo_problem_row_count(document->problem) &&
               mo_problem_dof_count(second.problem) == mo_problem_dof_count(document->problem),
           "the file written has other sizes");
    mo_document_clear(&second);
}

/* Reads one file; true where it held a problem. */
static bool read_file(const char *path, size_t size, const char *again)
{
    meter m = {0};
    const mo_allocator allocator = {metered, &m};
    mo_document document;
    mo_message why = {""};
    const mo_error error = mo_fclib_read(path, &allocator, &document, &why);
    if (error) {
        const mo_document cleared = {0};
        demand(memcmp(&document, &cleared, sizeof cleared) == 0, "the document was not cleared");
        demand(strlen(why.text) > 10, "an error without a sentence");
        demand(!strstr(why.text, "HDF5 cannot"), why.text); /* the guard let something through */
    } else if (again) {
        write_and_read_again(&document, again);
    }
    mo_document_clear(&document);
    demand(m.now == 0, "memory was not given back");
    demand(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "HDF5 objects were left open");
    demand(m.peak < MEMORY_FLOOR + MEMORY_RATIO * size, "too much memory for such a file");
    return error == MO_OK;
}

#ifdef MOREAU_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/dev/shm/fuzz_fclib-%ld.hdf5", (long)getpid());
    if (fuzz_save(path, data, size)) read_file(path, size, NULL);
    return 0;
}

#else

/* ---- seeds ----------------------------------------------------------------------------------- */

typedef struct seed_list {
    fuzz_bytes files[MAX_SEEDS];
    int count;
} seed_list;

static void add_seed(seed_list *seeds, const char *path)
{
    if (seeds->count < MAX_SEEDS && fuzz_load(path, &seeds->files[seeds->count])) ++seeds->count;
}

static void add_samples(seed_list *seeds, const char *scratch)
{
    char varied[PATH_MAX + 16];
    snprintf(varied, sizeof varied, "%s.varied", scratch);
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        mo_message why;
        if (mo_fclib_write(scratch, &document, &why) != MO_OK) {
            fprintf(stderr, "%s\n", why.text);
            exit(2);
        }
        mo_document_clear(&document);
        add_seed(seeds, scratch);
        for (int form = 0; form < FUZZ_FORMS; ++form)
            if (fuzz_rewrite(scratch, varied, (fuzz_form)form)) add_seed(seeds, varied);
    }
    unlink(scratch);
    unlink(varied);
}

/* ---- cases ----------------------------------------------------------------------------------- */

typedef struct settings {
    double seconds;
    uint64_t seed;
    long cases;
    bool bare;
    const char *keep;
    char scratch[PATH_MAX]; /* the file that a case is written to */
    char again[PATH_MAX];   /* and the one that its problem is */
} settings;

/* What parent and child share. */
typedef struct board {
    volatile long current; /* the case at hand  */
    volatile long started; /* its second */
    volatile long accepted, refused;
} board;

static void run_case(const settings *set, const seed_list *seeds, long number, board *b)
{
    mo_random random = {set->seed * 1000003u + (uint64_t)number};
    mo_random_bits(&random);
    const fuzz_bytes *seed = &seeds->files[mo_random_bits(&random) % (uint64_t)seeds->count];
    const fuzz_bytes *other = &seeds->files[mo_random_bits(&random) % (uint64_t)seeds->count];
    fuzz_bytes file = fuzz_mutate(seed, other, &random, set->scratch);
    const bool again = mo_random_bits(&random) % 8 == 0;
    if (!fuzz_save(set->scratch, file.data, file.size)) exit(2);
    /* A second of this process's own time: a busy machine is no hang. */
    const struct itimerval limit = {.it_value = {CPU_LIMIT_S, 0}}, off = {.it_value = {0, 0}};
    setitimer(ITIMER_PROF, &limit, NULL);
    const bool good = set->bare ? fuzz_read_bare(set->scratch)
                                : read_file(set->scratch, file.size, again ? set->again : NULL);
    setitimer(ITIMER_PROF, &off, NULL);
    if (good)
        ++b->accepted;
    else
        ++b->refused;
    free(file.data);
}

static void run_batch(const settings *set, const seed_list *seeds, long first, board *b)
{
    for (long k = first; k < first + BATCH; ++k) {
        b->current = k;
        b->started = time(NULL);
        run_case(set, seeds, k, b);
    }
    exit(0); /* with the leak check */
}

/* Waits for a child; kills one that is stuck in a case. */
static int wait_for(pid_t child, const board *b)
{
    int status = 0;
    const struct timespec nap = {0, 5000000};
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (time(NULL) - b->started > WALL_LIMIT_S) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        nanosleep(&nap, NULL);
    }
    return status;
}

static void keep_file(const settings *set, long number, int status)
{
    char name[PATH_MAX + 64];
    const bool hang =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL);
    snprintf(name, sizeof name, "%s/fuzz-%s-%llu-%ld.hdf5", set->keep, hang ? "hang" : "crash",
             (unsigned long long)set->seed, number);
    fuzz_bytes file;
    if (fuzz_load(set->scratch, &file)) {
        fuzz_save(name, file.data, file.size);
        free(file.data);
    }
    printf("%s in case %ld (status 0x%x), kept as %s\n", hang ? "HANG" : "CRASH", number, status,
           name);
    fflush(stdout);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(const settings *set, const seed_list *seeds)
{
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const double start = now();
    long next = 0, crashes = 0, hangs = 0;
    if (b == MAP_FAILED) return 2;
    while (now() - start < set->seconds && (set->cases == 0 || next < set->cases)) {
        b->current = next;
        b->started = time(NULL);
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) run_batch(set, seeds, next, b);
        const int status = wait_for(child, b);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            next += BATCH;
            continue;
        }
        keep_file(set, b->current, status);
        if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL))
            ++hangs;
        else
            ++crashes;
        next = b->current + 1;
    }
    printf("%ld cases from %d seeds in %.0f s: %ld read, %ld refused, %ld crashes, %ld hangs\n",
           next, seeds->count, now() - start, b->accepted, b->refused, crashes, hangs);
    unlink(set->scratch);
    unlink(set->again);
    return crashes || hangs;
}

int main(int argc, char **argv)
{
    static seed_list seeds;
    static settings set = {.seconds = 2, .seed = 1, .keep = "."};
    struct stat shm;
    const char *directory = stat("/dev/shm", &shm) == 0 ? "/dev/shm" : "/tmp";
    snprintf(set.scratch, sizeof set.scratch, "%s/fuzz_fclib-%ld.hdf5", directory, (long)getpid());
    snprintf(set.again, sizeof set.again, "%s/fuzz_fclib-%ld-again.hdf5", directory,
             (long)getpid());
    for (int k = 1; k < argc; ++k) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--seconds") == 0) {
            set.seconds = atof(value), ++k;
        } else if (strcmp(argv[k], "--seed") == 0) {
            set.seed = strtoull(value, NULL, 10), ++k;
        } else if (strcmp(argv[k], "--cases") == 0) {
            set.cases = atol(value), ++k;
        } else if (strcmp(argv[k], "--keep") == 0) {
            set.keep = value, ++k;
        } else if (strcmp(argv[k], "--bare") == 0) {
            set.bare = true;
        } else if (argv[k][0] == '-') {
            fprintf(stderr, "fuzz_fclib [--seconds S] [--seed N] [--cases N] [--bare] [--keep DIR] "
                            "[FILE...]\n");
            return 2;
        } else {
            add_seed(&seeds, argv[k]);
        }
    }
    if (seeds.count == 0) add_samples(&seeds, set.scratch);
    return seeds.count ? run(&set, &seeds) : 2;
}

#endif
