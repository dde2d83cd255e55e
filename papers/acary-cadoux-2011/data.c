/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The tables as CSV files, with a first line that names the columns. */
#include <stdio.h>

#include "acary_cadoux_2011.h"

static void write_rates(FILE *file, const ac_results *results)
{
    fprintf(file, "state,mu,round,value\n");
    for (int k = 0; k < AC_STATES * AC_MUS; ++k) {
        const ac_rate *rate = &results->rates[k];
        for (int round = 0; round < rate->rounds; ++round) {
            fprintf(file, "%s,%g,%d,%.6e\n", ac_state_names[rate->state], rate->mu, round + 1,
                    rate->value[round]);
        }
    }
}

static void write_factors(FILE *file, const ac_results *results)
{
    fprintf(file, "state,mu,factor,contraction,rounds\n");
    for (int k = 0; k < AC_STATES * AC_MUS; ++k) {
        const ac_rate *rate = &results->rates[k];
        fprintf(file, "%s,%g,%.4f,%.4f,%d\n", ac_state_names[rate->state], rate->mu, rate->factor,
                rate->contraction, rate->rounds);
    }
}

static void write_engines(FILE *file, const ac_results *results)
{
    fprintf(file, "engine,contacts,rounds,seconds,residual,full_rounds,full_seconds,solved,"
                  "warm_rounds,warm_seconds,warm_solved\n");
    for (int k = 0; k < AC_ENGINES * AC_SIZES; ++k) {
        const ac_cost *c = &results->costs[k];
        fprintf(file, "%s,%d,%d,%.6f,%.2e,%d,%.6f,%d,%d,%.6f,%d\n", ac_engine_names[c->engine],
                c->contacts, c->rounds, c->seconds, c->residual, c->full_rounds, c->full_seconds,
                c->is_solved, c->warm_rounds, c->warm_seconds, c->is_warm_solved);
    }
}

static void write_map(FILE *file, const ac_results *results)
{
    fprintf(file, "gravity,speed,theta,mu,verdict\n");
    for (int which = 0; which < AC_MAP_CASES; ++which) {
        for (int k = 0; k < AC_MAP * AC_MAP; ++k) {
            fprintf(file, "%d,%d,%.6f,%.4f,%s\n", which / 2 ? 1 : -1, which % 2 ? 1 : -1,
                    ac_map_angle(k / AC_MAP), ac_map_mu(k % AC_MAP),
                    mo_verdict_name(results->map.verdict[which][k / AC_MAP][k % AC_MAP]));
        }
    }
}

static mo_error write_file(const char *folder, const char *name, const ac_results *results,
                           void (*write)(FILE *, const ac_results *), mo_message *why)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/%s", folder, name);
    FILE *file = fopen(path, "w");
    int bad = !file;
    if (file) {
        write(file, results);
        bad = ferror(file);
        bad = fclose(file) != 0 || bad;
    }
    if (bad) snprintf(why->text, sizeof why->text, "%.400s cannot be written", path);
    return bad ? MO_ERR_FILE : MO_OK;
}

mo_error ac_write_data(const char *folder, const ac_results *results, mo_message *why)
{
    mo_error error = write_file(folder, "rates.csv", results, write_rates, why);
    error = error ? error : write_file(folder, "factors.csv", results, write_factors, why);
    error = error ? error : write_file(folder, "verdicts.csv", results, write_map, why);
    return error ? error : write_file(folder, "engines.csv", results, write_engines, why);
}
