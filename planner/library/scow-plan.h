/*
 * libscow-plan: planning for C and everything that calls C, without MPI and without a command line.
 * A profile (a JSON text that `scow calibrate` writes, or a person) gives the costs of every
 * operation on a cluster; the library makes plans of jobs from it, predicts their time, and
 * simulates them.
 *
 *     struct scow_profile *profile;
 *     struct scow_plan *plan;
 *     struct scow_plan_error error;
 *     struct scow_plan_request request = SCOW_PLAN_REQUEST_INIT;
 *     request.tasks = 100000;
 *     if (scow_profile_read(&profile, "profile.json", &error) != SCOW_PLAN_DONE)
 *         return fail(error.text);
 *     if (scow_plan_make(&plan, profile, &request, &error) == SCOW_PLAN_DONE)
 *         printf("%.3f s with %lld workers\n", scow_plan_makespan_s(plan),
 *                (long long)scow_plan_workers(plan));
 *
 * Errors are values: a function that can fail returns an enum scow_plan_code, and puts one sentence
 * that says what is wrong and what to do into *error, which may be NULL. Its outputs are NULL then,
 * or unchanged. Messages use the names of the command's options for the fields of a request
 * (`--deadline` is deadline_s).
 *
 * There is no global state. Any number of threads may use any number of handles at the same time,
 * also the same one: only the free functions change a handle. Nothing is printed, no signal is
 * touched, no process started; the caller's locale does not matter. Files are read where a path is
 * given, and Clp's library is loaded once, where it is there, for the scheduler "optimal".
 *
 * Ownership: handles are the caller's, to be freed with their own function; so are texts
 * (scow_plan_text_free). `const char *` that a function returns belong to the handle, or live as
 * long as the library. Every argument is borrowed for the call. All free functions take NULL.
 *
 * Units: seconds, bytes, core tasks. Counting: core tasks, packages and rounds are indices, from 0;
 * workers are MPI's ranks of a run, from 1, for rank 0 is its master.
 *
 * Versions: the library's soname has SCOW_PLAN_ABI in it. Within one, functions are only added, and
 * structures with a `size` grow at their ends: the caller sets `size` (the INIT macros do), and the
 * library takes members beyond it as 0.
 */
#ifndef SCOW_PLAN_H
#define SCOW_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCOW_PLAN_ABI 1

#if defined(__GNUC__)
#define SCOW_PLAN_API __attribute__((visibility("default")))
#else
#define SCOW_PLAN_API
#endif

/* As the exit codes of the command. */
enum scow_plan_code {
    SCOW_PLAN_DONE = 0,
    SCOW_PLAN_FAILED = 1,     /* the machine failed: no such file, no memory */
    SCOW_PLAN_USAGE = 2,      /* a request is not valid */
    SCOW_PLAN_INFEASIBLE = 3, /* no plan satisfies it */
    SCOW_PLAN_MISMATCH = 4    /* a profile or plan is wrong, or they do not match */
};

struct scow_plan_error {
    int code;       /* enum scow_plan_code */
    char text[480]; /* one sentence without an end of line; "" where all went well */
};

struct scow_profile;
struct scow_plan;

/* ---- the library --------------------------------------------------------------------------- */

/* SCOW_PLAN_ABI of the library that is loaded, and scow's version ("0.1.0"). */
SCOW_PLAN_API int scow_plan_abi(void);
SCOW_PLAN_API const char *scow_plan_version(void);
/* The schedulers, and the rules that assign packages on request, k = 0, 1, ...; NULL: there are no
 * more. "auto", the scheduler that tries the others, is not among them. */
SCOW_PLAN_API const char *scow_scheduler_name(size_t k);
SCOW_PLAN_API const char *scow_scheduler_summary(size_t k);
SCOW_PLAN_API const char *scow_rule_name(size_t k);
SCOW_PLAN_API const char *scow_rule_summary(size_t k);
/* The objectives that workers are chosen by, likewise. */
SCOW_PLAN_API const char *scow_objective_name(size_t k);
SCOW_PLAN_API const char *scow_objective_summary(size_t k);
SCOW_PLAN_API void scow_plan_text_free(char *text);

/* ---- profiles ------------------------------------------------------------------------------ */

/* From a file, which plans then name; "-" is standard input. */
SCOW_PLAN_API int scow_profile_read(struct scow_profile **profile, const char *path,
                                    struct scow_plan_error *error);
/* From `length` bytes of JSON ("scow-profile-1"). `name` is its name in messages (NULL: "profile");
 * plans name no file. */
SCOW_PLAN_API int scow_profile_parse(struct scow_profile **profile, const char *text, size_t length,
                                     const char *name, struct scow_plan_error *error);
SCOW_PLAN_API void scow_profile_free(struct scow_profile *profile);
/* The name of its core task, and the SHA-256 of its text in hexadecimal digits. */
SCOW_PLAN_API const char *scow_profile_kernel(const struct scow_profile *profile);
SCOW_PLAN_API const char *scow_profile_sha256(const struct scow_profile *profile);
/* Number of measured workers, and of settings (combinations of parameters). */
SCOW_PLAN_API int64_t scow_profile_workers(const struct scow_profile *profile);
SCOW_PLAN_API size_t scow_profile_settings(const struct scow_profile *profile);
/* The profile as JSON, every default spelled out. */
SCOW_PLAN_API int scow_profile_text(char **text, const struct scow_profile *profile,
                                    struct scow_plan_error *error);

/* ---- plans --------------------------------------------------------------------------------- */

/* What to plan. 0 and NULL, except in tasks, mean the default of `scow plan`. */
struct scow_plan_request {
    size_t size;           /* of this structure, as the caller knows it */
    int64_t tasks;         /* core tasks of the job, at least 1 */
    int64_t workers;       /* use the first ones; workers beyond the profile's are like its last */
    const char *like;      /* class or rank that workers beyond the profile's are like */
    const char *scheduler; /* a name of the table, or "auto" */
    const char *set;       /* NAME=VALUE,...: settings with these values of parameters */
    int64_t block;         /* settings with this block */
    const char *tail;   /* RULE[,...][:SHARE] assigns the plan's end on request; "none": no tail */
    int64_t buffers;    /* packages that a worker receives ahead */
    double deadline_s;  /* use the fewest workers whose plan meets it */
    double effort_s;    /* about how long planning with "auto" may take on one core */
    int real_valued;    /* not 0: fractions of core tasks, to compare with published tables */
    const char *within; /* "5%": accept a plan at most this much longer with fewer worker-seconds */
    /* Which workers, by what else than the makespan, and within which limits. */
    const char *objective; /* a name of scow_objective_name */
    double budget;         /* of the charge, above 0 */
    const char *require;   /* CLASS,...: at least one worker of each of these classes */
    const char *exclude;   /* CLASS,...: none of these */
    const char *at_most;   /* CLASS=N,...: at most N workers of a class */
    const char *price; /* [CLASS=]P,... a second, or "energy": in place of the profile's prices */
    const char *waits; /* the path of a file of waits in the queue */
};

#define SCOW_PLAN_REQUEST_INIT                                                                     \
    {                                                                                              \
        sizeof(struct scow_plan_request), 0, 0, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, NULL, NULL, \
            0, NULL, NULL, NULL, NULL, NULL                                                        \
    }

/* Equal requests give equal plans, bit for bit. The profile may be freed before the plan. */
SCOW_PLAN_API int scow_plan_make(struct scow_plan **plan, const struct scow_profile *profile,
                                 const struct scow_plan_request *request,
                                 struct scow_plan_error *error);
/* A plan that was written before ("scow-plan-1"); as scow_profile_read and scow_profile_parse. */
SCOW_PLAN_API int scow_plan_read(struct scow_plan **plan, const char *path,
                                 struct scow_plan_error *error);
SCOW_PLAN_API int scow_plan_parse(struct scow_plan **plan, const char *text, size_t length,
                                  const char *name, struct scow_plan_error *error);
SCOW_PLAN_API void scow_plan_free(struct scow_plan *plan);
/* The plan as JSON: the file that `scow run` takes. */
SCOW_PLAN_API int scow_plan_text(char **text, const struct scow_plan *plan,
                                 struct scow_plan_error *error);

/* The scheduler that made it, and the rule that assigns its end on request (NULL: none). */
SCOW_PLAN_API const char *scow_plan_scheduler(const struct scow_plan *plan);
SCOW_PLAN_API const char *scow_plan_tail(const struct scow_plan *plan);
/* Core tasks of the job; workers that get a package; workers that a run must have, which is the
 * highest rank of those; rounds and packages in all. */
SCOW_PLAN_API double scow_plan_tasks(const struct scow_plan *plan);
SCOW_PLAN_API int64_t scow_plan_workers(const struct scow_plan *plan);
SCOW_PLAN_API int64_t scow_plan_workers_needed(const struct scow_plan *plan);
SCOW_PLAN_API int64_t scow_plan_rounds(const struct scow_plan *plan);
SCOW_PLAN_API int64_t scow_plan_packages(const struct scow_plan *plan);

/* The prediction; NaN if a plan that was read has none. The makespan is the median of runs, where
 * the profile says that these vary so much that it is another than by mean costs, which the second
 * function tells and scow_simulate without noise. The gap is the relative distance of the makespan
 * by mean costs from the lower bound on any schedule; the busy share is that of the workers' time,
 * 0 to 1. */
SCOW_PLAN_API double scow_plan_makespan_s(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_without_variation_s(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_lower_bound_s(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_gap(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_busy_share(const struct scow_plan *plan);
/* The 90 % interval of the makespan. Returns 0, and both are NaN, if the profile has no
 * uncertainties. Either pointer may be NULL. */
SCOW_PLAN_API int scow_plan_interval_s(const struct scow_plan *plan, double *least_s,
                                       double *most_s);

/* What workers were chosen for (NULL: no objective was asked for), and what the plan is predicted
 * to cost; NaN where that is not known: the charge by the prices, energy by the watts, the sum of
 * the times that workers are busy, and the time from submission on, with the wait in the queue. */
SCOW_PLAN_API const char *scow_plan_objective(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_charge(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_energy_j(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_cpu_s(const struct scow_plan *plan);
SCOW_PLAN_API double scow_plan_turnaround_s(const struct scow_plan *plan);

/* A package of the plan. The size of this structure is fixed. */
struct scow_plan_package {
    int64_t round; /* from 0 */
    int64_t rank;  /* of the worker that gets it, from 1 */
    double first;  /* its first core task, from 0 */
    double tasks;  /* whole, unless the plan is real-valued */
};

/* Copy up to `most` packages, from number `from` in the order of sending, to packages; returns how
 * many. Packages that a tail's rule will assign on request are listed as planned. */
SCOW_PLAN_API size_t scow_plan_package_list(const struct scow_plan *plan, int64_t from, size_t most,
                                            struct scow_plan_package *packages);

/* The walltime to request from a batch system, seconds, in whole minutes: start-up, and the
 * makespan that is exceeded with this risk (0.01: by one run in a hundred). Only for plans made by
 * scow_plan_make. */
SCOW_PLAN_API int scow_plan_walltime_s(double *walltime_s, const struct scow_plan *plan,
                                       double risk, struct scow_plan_error *error);
/* The lines of a batch script that request it, with nodes, ranks and memory; system: "slurm" or
 * "pbs". */
SCOW_PLAN_API int scow_plan_batch_text(char **text, const struct scow_plan *plan,
                                       const char *system, double risk,
                                       struct scow_plan_error *error);
/* All compromises between makespan and charge, fastest first ("scow-pareto-1"), as JSON; prices
 * must be known. The plan that scow_plan_make makes by the same request is "chosen". */
SCOW_PLAN_API int scow_plan_pareto_text(char **text, const struct scow_profile *profile,
                                        const struct scow_plan_request *request,
                                        struct scow_plan_error *error);
/* All schedulers' plans side by side ("scow-compare-1"), and makespan and efficiency by the number
 * of workers ("scow-sweep-1"), as JSON. Settings are chosen as by scow_plan_make; these are of all
 * workers, so objectives and limits do not go with them. */
SCOW_PLAN_API int scow_plan_compare_text(char **text, const struct scow_profile *profile,
                                         const struct scow_plan_request *request,
                                         struct scow_plan_error *error);
SCOW_PLAN_API int scow_plan_sweep_text(char **text, const struct scow_profile *profile,
                                       const struct scow_plan_request *request,
                                       struct scow_plan_error *error);

/* ---- simulation ---------------------------------------------------------------------------- */

/* What to simulate. 0 and NULL mean the default of `scow simulate`. */
struct scow_simulation_request {
    size_t size;        /* of this structure, as the caller knows it */
    const char *rule;   /* in place of a plan, "RULE[,NAME=VALUE...]"; then also tasks */
    int64_t tasks;      /* core tasks of the job, with a rule */
    int64_t workers;    /* the first so many */
    const char *set;    /* the profile's setting with these parameters */
    int64_t block;      /* the profile's setting with this block */
    const char *tail;   /* of a plan: RULE[,...][:SHARE], or "none"; NULL: its own */
    const char *replan; /* of a plan: watched, with this tolerance ("10%") */
    int64_t ahead;      /* packages on request that a worker has at a time */
    int64_t buffers;    /* packages that a worker receives ahead */
    double noise;       /* relative standard deviation of every operation */
    uint64_t seed;      /* of the noise; 0: 1 */
    int64_t seeds;      /* number of simulations, with seed, seed + 1, ...; 0: 1 */
    int64_t slow;       /* how many of the first workers are slow */
    double slow_factor; /* how many times slower; 0: 2 */
    double slow_from_s; /* since when */
    int64_t lose;       /* rank of a worker that is lost; 0: none */
    double lost_s;      /* when */
};

#define SCOW_SIMULATION_REQUEST_INIT                                                               \
    {                                                                                              \
        sizeof(struct scow_simulation_request), NULL, 0, 0, NULL, 0, NULL, NULL, 0, 0, 0, 0, 0, 0, \
            0, 0, 0, 0                                                                             \
    }

/* The results. The caller sets `size`, and the library fills in that many bytes. */
struct scow_simulation {
    size_t size;
    double makespan_s;          /* with the first seed */
    double ideal_s;             /* with no cost but the work, perfectly balanced */
    double busy_share;          /* of the workers' time, 0 to 1 */
    double network_utilization; /* share of the makespan in which the port or the master is busy */
    double earliest_end_s, latest_end_s;         /* of workers that had a package */
    double end_variation;                        /* coefficient of variation of the workers' ends */
    int64_t packages, workers;                   /* sent; that had one */
    double least_s, median_s, p95_s, greatest_s; /* of all seeds; of one, its makespan */
};

#define SCOW_SIMULATION_INIT                                                                       \
    {                                                                                              \
        sizeof(struct scow_simulation), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                      \
    }

/* Simulate a plan, or else (NULL) the request's rule, on the cluster that the profile describes.
 * `request` may be NULL with a plan. A real-valued plan can be simulated only without noise and
 * other disturbances. */
SCOW_PLAN_API int scow_simulate(struct scow_simulation *simulation,
                                const struct scow_profile *profile, const struct scow_plan *plan,
                                const struct scow_simulation_request *request,
                                struct scow_plan_error *error);
/* The same as JSON ("scow-simulation-1"), with more results. */
SCOW_PLAN_API int scow_simulate_text(char **text, const struct scow_profile *profile,
                                     const struct scow_plan *plan,
                                     const struct scow_simulation_request *request,
                                     struct scow_plan_error *error);

#ifdef __cplusplus
}
#endif

#endif
