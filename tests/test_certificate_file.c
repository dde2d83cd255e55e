/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Certificates as files: what is written is read back and judged good; what is changed, cut off or
 * meant for another problem is not.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "moreau/moreau.h"
#include "problems.h"
#include "scenes.h"
#include "temporary.h"

static char folder[TEMPORARY_ROOM], path[TEMPORARY_ROOM + 16], again[TEMPORARY_ROOM + 16];

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct text {
    char *bytes;
    size_t length;
} text;

static text read_all(const char *name)
{
    FILE *file = fopen(name, "rb");
    text t = {NULL, 0};
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    t.length = (size_t)ftell(file);
    rewind(file);
    t.bytes = malloc(t.length + 1);
    CHECK(t.bytes && fread(t.bytes, 1, t.length, file) == t.length);
    t.bytes[t.length] = '\0';
    fclose(file);
    return t;
}

static void write_all(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

/* ---- problems -------------------------------------------------------------------------------- */

static mo_problem *named(const char *name, int count, const double *values)
{
    const problem_scene *scene = problem_scene_find(name);
    double all[WORLD_PARAMETERS];
    mo_problem *problem = NULL;
    CHECK(scene != NULL);
    world_default_values(&scene->about, all);
    memcpy(all, values, (size_t)count * sizeof *all);
    CHECK(scene->build(all, &problem, NULL) == MO_OK);
    return problem;
}

enum { KINDS = 9 };

/* One problem of each kind of evidence; drawn at random within it. */
static mo_problem *draw(mo_random *random, int kind)
{
    const double angle = uniform(random, 0.2, 1.3);
    scene_random_def def = {.seed = mo_random_bits(random),
                            .bodies = 2,
                            .constraints = 3,
                            .in_plane = kind == 7,
                            .laws = SCENE_COULOMB | (kind == 7 ? SCENE_BOX : 0),
                            .mu_min = 0.1,
                            .mu_max = 1,
                            .mass_ratio = 3};
    mo_problem *problem = NULL;
    switch (kind) {
    case 0: /* none */
        return named("painleve-rod", 4, (double[4]){angle, 1.5 * tan(angle), 1, -1});
    case 1: /* unique */
        return named("painleve-rod", 4, (double[4]){angle, 0.5 * tan(angle), 1, -1});
    case 2: /* several */
        return named("painleve-rod", 4, (double[4]){angle, 1.5 * tan(angle), 1, 1});
    case 3: /* none, in space */
        return named("crushed-ball", 2, (double[2]){1, 0.5});
    case 4:
        return named("rectangle", 3, (double[3]){0.3, uniform(random, -1, 1), 0.1});
    case 5:
        return named("sliding-rod", 5, (double[5]){1.1, 1.6, 1, 5, 0});
    case 6: /* in space, with sectors */
        def.constraints = 2;
        break;
    case 8: /* reduced */
        def.in_plane = 1;
        break;
    default:
        break;
    }
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    if (kind == 8) {
        mo_problem *reduced = NULL;
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        mo_problem_destroy(problem);
        problem = reduced;
    }
    return problem;
}

/* A file with the certificate of the problem; its verdict. */
static mo_verdict write_certificate(const mo_problem *problem, const char *name)
{
    mo_check_result check;
    mo_judgement judgement;
    mo_message why = {{0}};
    CHECK(mo_check(problem, 3000, &check) == MO_OK);
    CHECK(mo_check_judge(problem, &check, &judgement) == MO_OK);
    if (!judgement.holds) fail_msg("a certificate of ours is rejected: %s", judgement.message.text);
    CHECK(mo_check_write(name, problem, &check, &why) == MO_OK);
    const mo_verdict verdict = check.verdict;
    mo_check_clear(&check);
    return verdict;
}

/* Read and judged: 1 it holds, 0 it does not, -1 it could not be read. */
static int judge_file(const mo_problem *problem, const char *name, mo_judgement *judgement)
{
    mo_check_result check;
    mo_message why = {{0}};
    if (mo_check_read(name, problem, &check, &why)) {
        CHECK(strstr(why.text, name) != NULL); /* a sentence that names the file */
        return -1;
    }
    CHECK(mo_check_judge(problem, &check, judgement) == MO_OK);
    CHECK(judgement->message.text[0]);
    mo_check_clear(&check);
    return judgement->holds;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void written_certificates_are_read_back_and_hold(void **state)
{
    (void)state;
    mo_random random = {1};
    int seen[MO_VERDICT_COUNT] = {0};
    for (int trial = 0; trial < 4 * KINDS; ++trial) {
        mo_problem *problem = draw(&random, trial % KINDS);
        const mo_verdict verdict = write_certificate(problem, path);
        mo_check_result check;
        mo_judgement judgement;
        mo_message why = {{0}};
        CHECK(judge_file(problem, path, &judgement) == 1);
        assert_int_equal(judgement.claimed, verdict);
        CHECK(mo_check_read(path, problem, &check, &why) == MO_OK);
        CHECK(mo_check_write(again, problem, &check, &why) == MO_OK);
        text a = read_all(path), b = read_all(again);
        CHECK(a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0);
        free(a.bytes);
        free(b.bytes);
        mo_check_clear(&check);
        mo_problem_destroy(problem);
        ++seen[verdict];
    }
    CHECK(seen[MO_VERDICT_NONE] && seen[MO_VERDICT_UNIQUE] && seen[MO_VERDICT_SEVERAL]);
}

/* Another verdict in the same file never holds, but for those that follow from it. */
static void another_verdict_is_rejected(void **state)
{
    (void)state;
    mo_random random = {2};
    for (int trial = 0; trial < KINDS; ++trial) {
        mo_problem *problem = draw(&random, trial);
        const mo_verdict truth = write_certificate(problem, path);
        text t = read_all(path);
        char *at = strstr(t.bytes, "verdict "), *rest = strchr(at, '#');
        for (int claim = 0; claim < MO_VERDICT_COUNT; ++claim) {
            char changed[32];
            mo_judgement judgement;
            snprintf(changed, sizeof changed, "verdict %s ", mo_verdict_name((mo_verdict)claim));
            FILE *file = fopen(again, "wb");
            CHECK(file && fwrite(t.bytes, 1, (size_t)(at - t.bytes), file) > 0);
            fputs(changed, file);
            fputs(rest, file);
            CHECK(fclose(file) == 0);
            const int follows = claim == (int)truth || claim == MO_VERDICT_UNKNOWN ||
                                (claim == MO_VERDICT_EXISTS &&
                                 (truth == MO_VERDICT_UNIQUE || truth == MO_VERDICT_SEVERAL));
            assert_int_equal(judge_file(problem, again, &judgement), follows);
        }
        free(t.bytes);
        mo_problem_destroy(problem);
    }
}

/* Every number in turn times 1.5, and with its sign changed.  A number that is zero, or that a
 * proof does not need, may pass: most do not. */
static void changed_numbers_are_rejected(void **state)
{
    (void)state;
    mo_random random = {3};
    int changed = 0, rejected = 0;
    for (int trial = 0; trial < KINDS; ++trial) {
        mo_problem *problem = draw(&random, trial);
        write_certificate(problem, path);
        text t = read_all(path);
        char *begin = strchr(t.bytes, '#');
        for (int tries = 0; tries < 60; ++tries) {
            char *word = begin + mo_random_bits(&random) % (size_t)(t.bytes + t.length - begin),
                 *end;
            while (word > begin && !isspace((unsigned char)word[-1]))
                --word;
            const double value = strtod(word, &end);
            if (end == word || value == 0 || !strchr(" \n", *end) ||
                !memchr(word, '.', (size_t)(end - word)))
                continue;
            FILE *file = fopen(again, "wb");
            mo_judgement judgement;
            CHECK(file && fwrite(t.bytes, 1, (size_t)(word - t.bytes), file) > 0);
            fprintf(file, "%.17g", tries % 2 ? -value : 1.5 * value);
            fputs(end, file);
            CHECK(fclose(file) == 0);
            ++changed;
            rejected += judge_file(problem, again, &judgement) != 1;
        }
        free(t.bytes);
        mo_problem_destroy(problem);
    }
    CHECK(changed > 150);
    CHECK(rejected > 0.6 * changed);
}

/* The certificate of one rod, held against another whose truth is a different one. */
static void a_certificate_does_not_hold_for_a_problem_with_another_truth(void **state)
{
    (void)state;
    mo_random random = {5};
    for (int trial = 0; trial < 60; ++trial) {
        const double angle = uniform(&random, 0.2, 1.3), off = trial % 2 ? 0.3 : 1e-6;
        const double g = trial % 4 < 2 ? -1 : 1;
        mo_judgement judgement;
        mo_problem *above = NULL, *below = NULL;
        CHECK(problem_painleve_rod(angle, tan(angle) * (1 + off), 1, g, &above, NULL) == MO_OK);
        CHECK(problem_painleve_rod(angle, tan(angle) * (1 - off), 1, g, &below, NULL) == MO_OK);
        CHECK(write_certificate(above, path) != write_certificate(below, again));
        CHECK(judge_file(above, path, &judgement) == 1 &&
              judge_file(below, again, &judgement) == 1);
        CHECK(judge_file(above, again, &judgement) == 0 &&
              judge_file(below, path, &judgement) == 0);
        mo_problem_destroy(above);
        mo_problem_destroy(below);
    }
}

static void damaged_files_get_a_sentence(void **state)
{
    (void)state;
    static const char *const files[] = {
        "",
        "moreau",
        "moreau-certificate 2",
        "moreau-certificate 1 problem 2 2 verdict none end",
        "moreau-certificate 1 problem 2 1 verdict perhaps end",
        "moreau-certificate 1 problem 2 1 verdict none",
        "moreau-certificate 1 problem 2 1 verdict none end end",
        "moreau-certificate 1 problem 2 1 verdict none tree 2 split 0 end",
        "moreau-certificate 1 problem 2 1 verdict none tree 1 empty 900000000 1 2",
        "moreau-certificate 1 problem 2 1 verdict none condition loose holds 1 1 0 end",
        "moreau-certificate 1 problem 2 1 verdict none condition closed maybe 1 1 0 end",
        "moreau-certificate 1 problem 2 1 verdict none condition closed holds 1 1 nan end",
        "moreau-certificate 1 problem 2 1 verdict none condition closed holds 1 1 inf end",
        "moreau-certificate 1 problem 2 1 verdict unique solution proven 0 u 0 0 r 1 end",
        "moreau-certificate 1 problem 2 1 verdict unique solution proven 1 u 0 0 r 1 1 end",
        "moreau-certificate 1 problem 2 1 verdict none limit 1 x end",
        "moreau-certificate 1 problem 2 1 verdict none limit 1 2 end"};
    mo_problem *problem = NULL;
    mo_judgement judgement;
    CHECK(problem_painleve_rod(0.5, 1, 1, -1, &problem, NULL) == MO_OK);
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        write_all(again, files[k], strlen(files[k]));
        assert_int_equal(judge_file(problem, again, &judgement), -1);
    }
    write_all(again, "moreau-certificate 1\0problem", 28);
    assert_int_equal(judge_file(problem, again, &judgement), -1);
    assert_int_equal(judge_file(problem, "/tmp/there-is-no-such-certificate", &judgement), -1);
    mo_problem_destroy(problem);
}

#define HEAD "moreau-certificate 1 problem 2 1 verdict none "

static void the_error_for_a_wrong_certificate_names_the_expected_token(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } files[] = {
        {"moreau-certificate 2", "format version 1"},
        {"moreau-certificate 1 problem 3 1", "is for a problem with 3 rows"},
        {HEAD "tree 1 point 0 tree 1 point 0 end", "one tree only"},
        {HEAD "tree 1 leaf 0 end", "split, empty, point or near"},
        {HEAD "condition closed holds 1 1 0 condition closed holds 1 1 0 end",
         "each condition once"},
        {HEAD "condition closed perhaps 1 1 0 end", "holds or fails"},
        {HEAD "condition loose holds 1 1 0 end", "the name of a condition"},
        {HEAD "limit 0 3 condition closed fails 1 1 0 limit 0 none end", "one limit only"},
        {HEAD "limit 1 x end", "a finite number or none"},
        {HEAD "nonsense", "solution, tree, condition, limit or end"},
        {HEAD "end x", "nothing after end"},
    };
    mo_problem *problem = NULL;
    int good = 1;
    CHECK(problem_painleve_rod(0.5, 1, 1, -1, &problem, NULL) == MO_OK);
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        mo_check_result check = {0};
        mo_message why = {{0}};
        write_all(again, files[k].text, strlen(files[k].text));
        const mo_error error = mo_check_read(again, problem, &check, &why);
        if (error != MO_ERR_FILE || !strstr(why.text, files[k].says)) {
            print_error("error %d, '%s' does not say '%s'\n", (int)error, why.text, files[k].says);
            good = 0;
        }
        mo_check_clear(&check);
    }
    mo_problem_destroy(problem);
    CHECK(good);
}

/* Cut off anywhere, or with any byte changed: a sentence, or a judgement. */
static void files_cut_off_or_with_changed_bytes_are_survived(void **state)
{
    (void)state;
    mo_random random = {9};
    for (int kind = 0; kind < KINDS; kind += 2) {
        mo_problem *problem = draw(&random, kind);
        mo_judgement judgement;
        write_certificate(problem, path);
        text t = read_all(path);
        for (int trial = 0; trial < 60; ++trial) {
            const size_t length = mo_random_bits(&random) % (t.length - 4);
            write_all(again, t.bytes, length);
            assert_int_equal(judge_file(problem, again, &judgement), -1);
            const char kept = t.bytes[length];
            t.bytes[length] = (char)mo_random_bits(&random);
            write_all(again, t.bytes, t.length);
            judge_file(problem, again, &judgement);
            t.bytes[length] = kept;
        }
        free(t.bytes);
        mo_problem_destroy(problem);
    }
}

static int make_folder(void **state)
{
    (void)state;
    CHECK(temporary_folder(folder, "certificates-XXXXXX") != NULL);
    snprintf(path, sizeof path, "%s/a.txt", folder);
    snprintf(again, sizeof again, "%s/b.txt", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(path);
    remove(again);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_certificates_are_read_back_and_hold),
        cmocka_unit_test(another_verdict_is_rejected),
        cmocka_unit_test(changed_numbers_are_rejected),
        cmocka_unit_test(a_certificate_does_not_hold_for_a_problem_with_another_truth),
        cmocka_unit_test(damaged_files_get_a_sentence),
        cmocka_unit_test(the_error_for_a_wrong_certificate_names_the_expected_token),
        cmocka_unit_test(files_cut_off_or_with_changed_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
