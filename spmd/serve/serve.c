#include "spmd/serve/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/vector/isa.h"
#include "planner/command/sibling.h"
#include "planner/files/textfile.h"
#include "planner/replan/watching.h"
#include "spmd/job/output_name.h"
#include "spmd/launch/documents.h"
#include "spmd/launch/instructions.h"
#include "spmd/launch/launch.h"
#include "spmd/launch/making.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/run/execute.h"
#include "spmd/run/fitting.h"
#include "spmd/run/one_master.h"
#include "spmd/run/run_options.h"
#include "spmd/run/run_outcome.h"
#include "spmd/serve/address.h"
#include "spmd/serve/per_chunk.h"
#include "spmd/serve/submission.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/link_zmq.h"

enum { MEMBERS_USUAL = 256, MEMBERS_MOST = 10000 };
/* Seconds for the last messages to reach workers. */
static const double linger_s = 5;
/* The master that had this address before may still be ending: batch systems give a job that
 * they kill half a minute (Slurm's KillWait), and workers wait for a minute. */
static const double address_patience_s = 60;
/* The deviation of workers, relative, from which on what remains is planned anew, unless --replan
 * says another one. */
static const char tolerance_usual[] = "10%";
/* The rule where costs are not known. */
static const char rule_usual[] = "fac";

struct serve_options {
    const char *command; /* the command that sentences name */
    bool told;           /* the outcome is to be printed */
    struct run_options run;
    const char *plan, *access, *listen, *rule, *replan, *submit, *parts;
    int64_t members, ahead, workers;
    bool per_chunk;
};

/* ---- options -------------------------------------------------------------------------------- */

static bool options_read_all(int argc, char **argv, struct serve_options *options, bool *over,
                             struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    const struct option_row rows[] = {
        {'i', "input", "INPUT", OPTION_TEXT, &options->run.input,
         "input that the plan was made for, if its core task has one"},
        {'o', "output", "FILE", OPTION_TEXT, &options->run.output, "HDF5 file to create"},
        run_options_row(&options->run, "profile"),
        {0, "access", "FILE", OPTION_TEXT, &options->access,
         "access file to write for workers, who need nothing else; that of before with --resume "
         "(OUTPUT.access)"},
        {0, "listen", "HOST[:PORT]", OPTION_TEXT, &options->listen,
         "where to listen (the node's name in a job of Slurm or PBS, else 127.0.0.1; any port)"},
        {0, "members", "N", OPTION_COUNT, &options->members,
         "let in N workers at most, one after the other (256)"},
        {'s', "scheduler", "RULE[,NAME=VALUE...]", OPTION_TEXT, &options->rule,
         "assign packages on request by this rule (fac where the plan's profile is not found)"},
        {0, "replan", "TOLERANCE", OPTION_TEXT, &options->replan,
         "plan what remains anew when workers deviate by more than this, and whenever one joins "
         "(10%)"},
        {0, "ahead", "N", OPTION_COUNT, &options->ahead,
         "with a rule: packages that a worker has at a time (default 2)"},
        {0, "submit", "MANAGER", OPTION_TEXT, &options->submit,
         "submit workers as jobs, and others for those that end, as long as work is left: local "
         "(processes of this machine), slurm or pbs (SCOW_SUBMIT: options for sbatch or qsub)"},
        {'n', "workers", "N", OPTION_COUNT, &options->workers,
         "with --submit: so many at a time (the plan's)"},
        {0, "per-chunk", NULL, OPTION_FLAG, &options->per_chunk,
         "with a rule whose chunks are known beforehand (fsc,k=N; gss; tss; fiss): a job for each "
         "chunk, and results through files in OUTPUT.parts, which are collected in the end; -n is "
         "how many workers the rule assigns to, and jobs at a time; without --submit it prints how "
         "to submit them"},
        {0, "parts", "DIR", OPTION_TEXT, &options->parts,
         "with --submit: workers give results that are in this folder (scow collect)"},
        run_options_row(&options->run, "results"),
        run_options_row(&options->run, "no-copies"),
        {0, "resume", NULL, OPTION_FLAG, &options->run.resume,
         "go on with FILE and its access file; workers that waited join again"},
        run_options_row(&options->run, "trust"),
        run_options_row(&options->run, "retry-lost"),
        run_options_row(&options->run, "until"),
        run_options_row(&options->run, "patience"),
        run_options_row(&options->run, "isa"),
        run_options_row(&options->run, "quiet"),
        run_options_row(&options->run, "version"),
    };
    const struct option_table table = {
        .usage = "scow serve PLAN [-i INPUT] -o FILE [options]",
        .purpose =
            "Lead a run whose workers come and go: each is a 'scow work FILE.access', started "
            "at any time and anywhere that reaches this machine. Results return to this "
            "process, which writes them.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .epilogue = "Exit: 0 done, 1 failed, 2 usage, 4 plan, input or output do not match, 75 "
                    "stopped as asked (SIGINT, SIGTERM, SIGUSR1) or out of time: serve again with "
                    "--resume.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(&alone, &table, argc, argv, &operand, 1, &operands, &options->run.version,
                        over, failure))
        return false;
    options->plan = operand;
    return true;
}

static bool options_check(const struct serve_options *options, struct failure *failure)
{
    if (!options->plan)
        return failure_set(failure, FAILURE_USAGE, "the plan is missing: see scow serve --help");
    if (!textfile_there(options->plan, failure))
        return false;
    if (!options->run.output)
        return failure_set(failure, FAILURE_USAGE,
                           "the output (-o FILE) is missing: see scow serve --help");
    if (options->members < 1 || options->members > MEMBERS_MOST)
        return failure_set(failure, FAILURE_USAGE, "--members must be from 1 to %d",
                           (int)MEMBERS_MOST);
    if (options->ahead > 1000 || (options->ahead > 0 && !options->rule))
        return failure_set(failure, FAILURE_USAGE,
                           "--ahead is for rules (-s RULE), and at most 1000");
    if (options->rule && options->replan)
        return failure_set(failure, FAILURE_USAGE, "--replan is for plans: leave -s RULE out");
    if (options->per_chunk && !options->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "--per-chunk needs a rule: add -s fsc,k=N, gss, tss or fiss");
    if (options->parts && !options->submit)
        return failure_set(failure, FAILURE_USAGE,
                           "--parts is for workers that are submitted as jobs: add --submit local");
    if (options->workers > 0 && !options->submit && !options->per_chunk)
        return failure_set(
            failure, FAILURE_USAGE,
            "-n says how many workers are submitted as jobs: add --submit local, slurm or pbs");
    return run_options_check(&options->run, failure) &&
           (!options->submit || submission_find(options->submit, failure)) &&
           output_name_check(options->run.output, failure);
}

/* ---- access --------------------------------------------------------------------------------- */

/* Owned; NULL with *failure set. */
static char *access_name(const struct serve_options *options, struct failure *failure)
{
    const size_t size = strlen(options->access ? options->access : options->run.output) + 16;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, options->access ? "%s" : "%s.access",
                 options->access ? options->access : options->run.output);
    else
        failure_memory(failure, "naming the access file");
    return name;
}

static bool file_is(const char *name)
{
    return access(name, F_OK) == 0;
}

/* Makes new keys or, for a run that is resumed, reads those that workers have already. */
static bool access_find(const struct serve_options *options, const char *name, bool *there,
                        struct access *access, struct failure *failure)
{
    char address[ACCESS_ADDRESS_SIZE];
    *there = options->run.resume && file_is(name);
    if (*there)
        return access_read(access, name, failure);
    return address_find(options->listen, address, failure) && access_make(access, address, failure);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Real core tasks run by the default operating model only (run/fitting.h). */
static bool plan_check(const struct serve_options *options, const struct documents *documents,
                       struct failure *failure)
{
    if (documents->strips.strip_count > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "%s: is of strips, whose workers exchange borders all the time, and "
                           "here they may come and go: run it by mpiexec and scow run",
                           options->plan);
    return documents->plan.operating == OPERATING_SINGLE_PORT ||
           failure_set(failure, FAILURE_USAGE,
                       "%s: is of the operating model %s, and what remains is planned anew here "
                       "for whoever is there, which goes by a single port: plan again with --model "
                       "single-port",
                       options->plan, operating_traits(documents->plan.operating)->name);
}

static bool levels_refuse(const struct scow_task *task, struct failure *failure)
{
    return !task_has_levels(task) ||
           failure_set(
               failure, FAILURE_USAGE,
               "core task '%s' searches in levels, of which scow serve leads none: use scow run",
               task->name);
}

/* Finds the plan's core task, with the input that it takes. */
static bool kernel_find(struct kernel *kernel, const struct serve_options *options,
                        const struct plan *plan, struct failure *failure)
{
    const struct kernel_name wanted = {plan->kernel, plan->plugin, plan->plugin_sha256};
    return kernel_open(kernel, wanted, NULL, options->plan, failure) &&
           levels_refuse(kernel->task, failure) &&
           kernel_input_check(kernel, options->run.input, options->plan, failure);
}

/* Chooses what decides: the plan, watched so that it follows which workers are there; or a rule. */
static void decision_choose(const struct serve_options *options, struct execution *execution)
{
    execution->rule = options->rule;
    if (!execution->rule && !execution->profile)
        execution->rule = rule_usual;
    if (!execution->rule)
        execution->replan = options->replan ? options->replan : tolerance_usual;
}

static void plan_serve(const struct serve_options *options, const struct documents *documents,
                       struct comm *comm, const struct joining_tick *tick, struct failure *failure)
{
    const struct plan *plan = &documents->plan;
    const struct liveness_words words = {.program = options->command,
                                         .path = options->run.output,
                                         .state = "there is no package yet",
                                         .again = "serve again with --resume"};
    struct run_outcome outcome = {0};
    struct kernel kernel = {0};
    struct liveness liveness = {.comm = NULL};
    char *emitted = run_outcome_emitted(options->run.output, options->run.results);
    if (!emitted)
        failure_memory(failure, "naming the results");
    if (failure->code != FAILURE_NONE || !plan_check(options, documents, failure) ||
        (options->run.isa && !instructions_pin(options->run.isa, comm, failure)) ||
        !kernel_find(&kernel, options, plan, failure) ||
        !liveness_begin(&liveness, comm, &words, options->run.patience_s, failure))
        goto out;
    /* No worker has joined yet, so none can be lost. */
    liveness_part(&liveness, options->run.patience_s, 0);
    struct execution execution = {.comm = comm,
                                  .kernel = &kernel,
                                  .plan = plan,
                                  .plan_text = documents->plan_text,
                                  .profile_text = documents->profile_text,
                                  /* Chunks were made without the profile. */
                                  .profile = options->parts ? NULL : documents_profile(documents),
                                  .plan_name = options->plan,
                                  .input = options->run.input,
                                  .emitted = emitted,
                                  .collects = true,
                                  .joins = tick,
                                  .command = options->command,
                                  .again = "serve again with --resume",
                                  .isa = isa_name(isa_current()),
                                  .threads = plan->threads > 0 ? plan->threads : 1,
                                  .ahead =
                                      options->ahead > 0 ? (int)options->ahead : WATCHING_AHEAD,
                                  .liveness = &liveness};
    run_options_apply(&options->run, &execution);
    decision_choose(options, &execution);
    if (execute_run(&execution, &outcome, failure)) {
        if (options->told)
            run_outcome_print(options->run.output, &outcome, !execution.rule);
        run_outcome_check(options->run.output, &outcome, failure);
    }
out:
    liveness_end(&liveness);
    free(emitted);
    run_outcome_release(&outcome);
    kernel_close(&kernel);
}

/* What is needed to ask workers to come. */
struct serving {
    const struct serve_options *options;
    const struct access *access;
    const char *name; /* of the access file */
    int64_t wanted;   /* workers */
    struct submission submission;
};

static void listening_say(const struct serving *serving)
{
    const struct serve_options *options = serving->options;
    const char *address = serving->access->address;
    if (!options->run.quiet)
        fprintf(stderr, "scow serve: workers join at %s: scow work %s\n", address, serving->name);
    /* On some systems the node's own name stands for its loopback address. */
    if (!options->run.quiet && !options->listen && address_keeps_out(address))
        fprintf(stderr,
                "scow serve: workers on other nodes do not reach %s: name this node's address by "
                "--listen\n",
                address);
}

/* Called when all checks have passed: from here on workers can be of use. */
static bool serving_begin(void *self, struct failure *failure)
{
    struct serving *serving = self;
    const struct serve_options *options = serving->options;
    listening_say(serving);
    return !options->submit ||
           submission_begin(&serving->submission, submission_find(options->submit, failure),
                            options->command, serving->name, options->parts, serving->wanted,
                            failure);
}

static void serving_tick(void *self, int64_t left)
{
    struct serving *serving = self;
    if (serving->submission.manager)
        submission_tick(&serving->submission, left);
}

/* Serves the run, and submits workers as jobs where that was asked for. */
static void workers_serve(const struct serve_options *options, const struct documents *documents,
                          struct comm *comm, const struct access *access, const char *name,
                          struct failure *failure)
{
    struct serving serving = {
        .options = options,
        .access = access,
        .name = name,
        .wanted = options->workers > 0 ? options->workers : plan_workers_needed(&documents->plan)};
    const struct joining_tick tick = {serving_begin, serving_tick, &serving};
    plan_serve(options, documents, comm, &tick, failure);
    submission_end(&serving.submission);
}

/* The communicator of this process and of workers that join it. */
static void comm_open(struct comm *comm, struct link link)
{
    comm_init(comm, link);
    comm->workers_on_node = comm->nodes = 1;
    comm->first_on_node = true;
}

static void waiting_say(const struct serve_options *options, const struct access *access)
{
    if (!options->run.quiet)
        fprintf(stderr,
                "scow serve: another process has %s, as a master that is being ended does: waits "
                "for it for up to %.0f s\n",
                access->address, address_patience_s);
}

/* An address that workers know already is waited for. */
static bool listen_begin(const struct serve_options *options, bool known, struct access *access,
                         struct link *link, struct failure *failure)
{
    static const double rest_s = 0.1;
    const double until_s = clock_now() + (known ? address_patience_s : 0);
    bool in_use = false, said = false;
    while (!link_zmq_listen(link, access, (int)options->members, &in_use, failure)) {
        if (!in_use || clock_now() >= until_s)
            return false;
        *failure = (struct failure)FAILURE_INIT;
        if (interrupt_asked())
            return failure_set(failure, FAILURE_STOPPED,
                               "stopped before the run began: another process has %s",
                               access->address);
        if (!said)
            waiting_say(options, access);
        said = true;
        clock_nap(rest_s);
    }
    return true;
}

/* Serves the run. The access file is removed with the end of the job, so that a later worker sees
 * that there is nothing to join; it stays where the run is stopped and may be resumed. */
static void access_serve(struct serve_options *options, const struct documents *documents,
                         const char *name, struct failure *failure)
{
    struct access access;
    struct comm comm;
    struct link link;
    bool there = false;
    if (!access_find(options, name, &there, &access, failure) ||
        !listen_begin(options, there, &access, &link, failure))
        return;
    if (there || access_write(&access, name, failure)) {
        comm_open(&comm, link);
        workers_serve(options, documents, &comm, &access, name, failure);
        if (failure->code != FAILURE_STOPPED)
            unlink(name);
    }
    link_zmq_close(&link, linger_s);
}

/* Replaces this process by scow collect, once all chunks are done. */
static void chunks_collect(const struct serve_options *options, char *folder,
                           struct failure *failure)
{
    char collect[] = "collect", o[] = "-o", quiet[] = "-q", *output = strdup(options->run.output);
    char *words[] = {collect, folder, o, output, options->run.quiet ? quiet : NULL, NULL};
    fflush(NULL);
    if (output)
        sibling_execute("collect", words, failure);
    else
        failure_memory(failure, "collecting results");
    free(output);
}

/* Does the plan fit its input as it is now? If not, the job of every chunk would fail. */
static bool chunks_fit(const struct serve_options *options, const struct plan *plan,
                       const struct kernel *kernel, struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    const char *input = options->run.input;
    struct making making = {.input = NULL};
    struct values values = {0};
    const struct fitting fitting = {
        .job = &making.job, .plan = plan, .plan_name = options->plan, .input = input};
    const bool fits =
        values_read(&values, kernel->task, &plan->parameters, options->plan, true, failure) &&
        making_start(&making, &alone, kernel->task, &values, input, NULL, failure) &&
        fitting_job(&fitting, failure);
    values_release(&values);
    making_release(&making);
    return fits;
}

static void chunks_serve(const struct serve_options *options, const struct documents *documents,
                         struct failure *failure)
{
    const struct plan *plan = &documents->plan;
    const struct per_chunk setup = {
        .plan = plan,
        .plan_text = documents->plan_text,
        .input = options->run.input,
        .output = options->run.output,
        .rule = options->rule,
        .workers = options->workers > 0 ? options->workers : plan_workers_needed(plan),
        .manager = options->submit ? submission_find(options->submit, failure) : NULL,
        .resume = options->run.resume,
        .quiet = options->run.quiet};
    struct kernel kernel = {0};
    char *folder = NULL;
    if (plan_check(options, documents, failure) && kernel_find(&kernel, options, plan, failure) &&
        (kernel.task->flags & SCOW_SLEEP) != 0)
        failure_set(
            failure, FAILURE_USAGE,
            "core task '%s' has no results that could be collected: --per-chunk is for others",
            plan->kernel);
    if (failure->code == FAILURE_NONE && chunks_fit(options, plan, &kernel, failure) &&
        per_chunk_run(&setup, &folder, failure) && setup.manager)
        chunks_collect(options, folder, failure);
    free(folder);
    kernel_close(&kernel);
}

static void serve_run(struct serve_options *options, struct failure *failure)
{
    struct comm alone = {.rank = 0, .size = 1};
    const struct one_master one = {.command = options->command,
                                   .plan_name = options->plan,
                                   .what = "serving workers",
                                   .by_rule = options->rule != NULL,
                                   .says = !options->run.quiet};
    struct documents documents = {.masters = true};
    char *name = access_name(options, failure);
    if (name && documents_read(&documents, &alone, options->plan, options->run.profile, failure) &&
        one_master_take(&documents, &one, failure) && one_master_rest(&documents, &one, failure)) {
        const int64_t needed = plan_workers_needed(&documents.plan);
        if (options->members < needed && !options->parts)
            options->members = needed;
        if (options->workers > options->members)
            options->members = options->workers;
        if (options->per_chunk)
            chunks_serve(options, &documents, failure);
        else
            access_serve(options, &documents, name, failure);
    }
    documents_release(&documents);
    free(name);
}

int serve_as(const char *command, bool told, int argc, char **argv)
{
    const struct comm alone = {.rank = 0, .size = 1};
    struct serve_options options = {
        .command = command, .told = told, .run = RUN_OPTIONS_INIT, .members = MEMBERS_USUAL};
    struct failure failure = FAILURE_INIT;
    bool over = false;
    signal(SIGXFSZ, SIG_IGN);
    interrupt_watch();
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    if (options_read_all(argc, argv, &options, &over, &failure) && !over &&
        options_check(&options, &failure)) {
        options.run.line = launch_line(&alone, "serve", argc, argv);
        if (run_options_end(&options.run, &alone, &failure))
            serve_run(&options, &failure);
        free(options.run.line);
    }
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "%s: %s\n", command, failure.text);
    return (int)failure.code;
}

int serve_main(int argc, char **argv)
{
    return serve_as("scow serve", true, argc, argv);
}
