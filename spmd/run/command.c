#include "spmd/run/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "planner/studies/watching.h"
#include "spmd/job/documents.h"
#include "spmd/job/instructions.h"
#include "spmd/job/launch.h"
#include "spmd/job/method.h"
#include "spmd/run/execute.h"
#include "spmd/run/interrupt.h"

enum { PATIENCE_USUAL = 60 };
/* Of that, until there is an output: somebody may be reading a large input alone. */
static const double ASSEMBLY_FACTOR = 5;

struct arguments {
    const char *plan, *input, *output, *profile, *isa, *kernel, *results, *rule, *replan, *tail;
    int64_t ahead;
    double patience_s;
    bool resume, quiet, verbose, version;
    char *line; /* owned: all of it, as it could be typed; NULL: not known */
};

/* The most that the output keeps of it. */
enum { LINE_MOST = 32000 };

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    const struct option_row rows[] = {
        {'i', "input", "INPUT", OPTION_TEXT, &arguments->input,
         "input that the plan was made for, if its core task has one"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output, "HDF5 file to create"},
        {'p', "profile", "FILE", OPTION_TEXT, &arguments->profile,
         "profile the plan was made from, kept in the output for the report (default: the plan's "
         "own, where it is found)"},
        {'k', "kernel", "./FILE.so", OPTION_TEXT, &arguments->kernel,
         "plug-in of the plan's core task (default: where it was when the plan was made)"},
        {'s', "scheduler", "RULE[,NAME=VALUE...]", OPTION_TEXT, &arguments->rule,
         "deal packages on request by this rule, in place of the plan's rounds: ss, gss, fac, ...; "
         "'scow simulate --help' lists them and their options"},
        {0, "replan", "TOLERANCE", OPTION_TEXT, &arguments->replan,
         "watch the plan, and plan the rest anew where workers are off by more (10%)"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &arguments->tail,
         "deal the plan's end on request, as much of it as the profile's spread asks for (the "
         "plan's own; none)"},
        {0, "ahead", "N", OPTION_COUNT, &arguments->ahead,
         "with a rule or a tail: packages that a worker has at a time (default 2)"},
        {0, "results", "FILE", OPTION_TEXT, &arguments->results,
         "for what core tasks write: FILE.1, FILE.2, ..., one a worker (default: OUTPUT.results)"},
        {0, "resume", NULL, OPTION_FLAG, &arguments->resume,
         "go on with FILE, which the same run left when it was stopped or killed; begin if it is "
         "not "
         "there"},
        {0, "patience", "SECONDS", OPTION_NUMBER, &arguments->patience_s,
         "a worker that is silent for so long, and for ten times the longest package, is lost "
         "(60)"},
        {0, "isa", "NAME", OPTION_TEXT, &arguments->isa,
         "instruction set to compute with: auto, avx512, avx2, generic (sse2)"},
        {'q', "quiet", NULL, OPTION_FLAG, &arguments->quiet,
         "no progress, only the outcome and failures"},
        {'v', "verbose", NULL, OPTION_FLAG, &arguments->verbose, "say what is being done"},
        {0, "version", NULL, OPTION_FLAG, &arguments->version, "print versions and exit"},
    };
    const struct option_table table = {
        .usage = "scow run PLAN [-i INPUT] -o FILE [options]",
        .purpose = "Execute a plan, started as mpiexec -n P+1 scow run ...: rank 0 is the master, "
                   "ranks 1 to P "
                   "are the workers.",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .epilogue =
            "Threads per rank: what the plan says (calibrate --threads), or OMP_NUM_THREADS, or "
            "the node's\ncores shared among its workers.\nExit: 0 done, 1 failed, 2 usage, 4 plan, "
            "input or output do not "
            "match,\n75 stopped as asked (SIGINT, SIGTERM, SIGUSR1), or no worker is left: run "
            "again "
            "with --resume.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 1, &operands, &arguments->version, over,
                        failure))
        return false;
    arguments->plan = operand;
    if (*over)
        return true;
    if (!arguments->plan || !arguments->output)
        return failure_set(failure, FAILURE_USAGE, "%s is missing: see scow run --help",
                           !arguments->plan ? "the plan" : "the output (-o FILE)");
    if (arguments->ahead > 1000)
        return failure_set(failure, FAILURE_USAGE, "--ahead is at most 1000: give less");
    if (!(arguments->patience_s > 0))
        return failure_set(failure, FAILURE_USAGE, "--patience is in seconds, above 0");
    if (arguments->rule && (arguments->replan || arguments->tail))
        return failure_set(failure, FAILURE_USAGE,
                           "--replan and --tail are for plans: leave -s RULE out");
    return !arguments->isa || instructions_pin(arguments->isa, comm, failure);
}

/* With odd characters in quotes, as a shell wants it. */
static void word_add(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./_-";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(text, " %s", word);
        return;
    }
    text_add(text, " '");
    for (; *word; word++) {
        if (*word == '\'')
            text_add(text, "'\\''");
        else
            text_add(text, "%c", *word);
    }
    text_add(text, "'");
}

/* Owned; NULL: it is too long, or memory ended. */
static char *line_make(const struct comm *comm, int argc, char **argv)
{
    struct text text = TEXT_INIT;
    text_add(&text, "mpiexec -n %d scow run", comm->size);
    for (int i = 1; i < argc; i++)
        word_add(&text, argv[i]);
    char *line = text_take(&text);
    if (line && strlen(line) < LINE_MOST)
        return line;
    free(line);
    return NULL;
}

static void prediction_print(const struct plan_prediction *predicted, double makespan_s)
{
    printf(" (predicted %.4f s, ", predicted->makespan_s);
    if (predicted->interval_s[1] > 0)
        printf("90 %% between %.4f and %.4f s, ", predicted->interval_s[0],
               predicted->interval_s[1]);
    printf("%+.1f %%)", 100 * (makespan_s / predicted->makespan_s - 1));
}

static void outcome_print(const struct arguments *arguments, const struct run_outcome *outcome)
{
    const struct summary *summary = &outcome->summary;
    const struct plan_prediction *predicted = &outcome->predicted;
    printf("%s: %" PRId64 " core tasks", arguments->output, summary->tasks);
    if (outcome->resumed)
        printf(", %" PRId64 " of them done before", outcome->kept);
    if (outcome->kept < summary->tasks)
        printf("%s in %.4f s", outcome->resumed ? ", the others" : "", outcome->makespan_s);
    if (predicted->known && predicted->makespan_s > 0 && !arguments->rule)
        prediction_print(predicted, outcome->makespan_s);
    if (summary->values > summary->not_numbers)
        printf("\nresponse %g to %g, ", summary->minimum, summary->maximum);
    else
        printf("\n%s", summary->values > 0 ? "response without a single number, " : "");
    printf("checksum %016" PRIx64 "\n", summary->checksum);
    if (summary->not_numbers > 0)
        printf("%" PRId64 " of %" PRId64 " values are not numbers\n", summary->not_numbers,
               summary->values);
    if (outcome->json)
        printf("%s\n", outcome->json);
    if (outcome->told)
        printf("%s", outcome->told);
    if (outcome->losses)
        printf("%s", outcome->losses);
}

/* Core tasks that could not be done are a failure of the run, though everything else is there. They
 * are counted from 1, as in scow show --task. */
static void rejections_tell(const struct arguments *arguments, const struct run_outcome *outcome,
                            struct failure *failure)
{
    char list[400] = "";
    size_t used = 0;
    for (int i = 0; i < outcome->rejection_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRId64 " (%.100s)",
                                 i > 0 ? ", " : "", outcome->rejections[i].task + 1,
                                 outcome->rejections[i].why);
    if (outcome->summary.failed > 0)
        failure_set(failure, FAILURE_FAILED,
                    "%s: %" PRId64 " of %" PRId64
                    " core tasks failed, all others are there%s%.300s",
                    arguments->output, outcome->summary.failed, outcome->summary.tasks,
                    list[0] ? "; among them " : "", list);
}

/* Local to the master. */
static void intent_print(const struct arguments *arguments, const struct documents *documents,
                         const struct execution *execution)
{
    const struct plan *plan = &documents->plan;
    if (!arguments->quiet && plan->profile && !documents->profile_text)
        fprintf(stderr,
                "scow run: the plan's profile '%s' is not to be found (name it with -p): the "
                "report will have no prediction of single operations\n",
                plan->profile);
    if (arguments->verbose)
        fprintf(stderr,
                "scow run: %s: %.0f core tasks in %" PRId64 " packages to %" PRId64
                " workers by %s, %d threads each, %s\n",
                arguments->plan, plan->tasks, plan_packages(plan), plan_workers_needed(plan),
                plan->scheduler, execution->threads, execution->isa);
}

/* Collective. The plan's kernel, the same on every rank. */
static bool kernel_find(struct kernel *kernel, const struct comm *comm,
                        const struct arguments *arguments, const struct plan *plan,
                        struct failure *failure)
{
    const struct kernel_name name = {plan->kernel, plan->plugin, plan->plugin_sha256};
    if (arguments->kernel && !strchr(arguments->kernel, '/'))
        failure_set(failure, FAILURE_USAGE,
                    "--kernel %s: the plan says which; give the path of its plug-in (./FILE.so)",
                    arguments->kernel);
    else
        kernel_open(kernel, name, arguments->kernel, arguments->plan, failure);
    if (!comm_agree(comm, failure) || !kernel_agree(comm, kernel, failure) || !kernel->task)
        return false;
    const bool wanted = kernel->task->input != SCOW_INPUT_NONE;
    if (wanted != (arguments->input != NULL))
        failure_set(failure, FAILURE_USAGE, "%s: kernel %s %s", arguments->plan, kernel->task->name,
                    wanted ? "needs an input: add -i INPUT" : "has no input: leave -i out");
    return failure->code == FAILURE_NONE;
}

/* Owned: where emitted bytes go. NULL: out of memory. */
static char *results_name(const struct arguments *arguments)
{
    static const char ending[] = ".results";
    if (arguments->results)
        return strdup(arguments->results);
    const size_t size = strlen(arguments->output) + sizeof ending;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", arguments->output, ending);
    return name;
}

/* Collective. What the plan was made for; where it does not say, as the ranks were started. */
static int threads_choose(const struct comm *comm, const struct plan *plan)
{
    const int threads = launch_threads(comm);
    return plan->threads > 0 ? plan->threads : threads;
}

/* As asked for, or as the plan has it; NULL: none. */
static const char *tail_choose(const struct arguments *arguments, const struct plan *plan)
{
    const char *tail = arguments->tail ? arguments->tail : arguments->rule ? NULL : plan->tail;
    return tail && strcmp(tail, WATCHING_NO_TAIL) != 0 ? tail : NULL;
}

static void ahead_check(const struct arguments *arguments, const struct plan *plan,
                        struct failure *failure)
{
    if (arguments->ahead > 0 && !arguments->rule && !tail_choose(arguments, plan))
        failure_set(failure, FAILURE_USAGE, "--ahead is for rules: add -s RULE, or leave it out");
}

/* Collective, of a plan that has been read. */
static void plan_execute(struct comm *comm, const struct arguments *arguments,
                         const struct documents *documents, struct assembly *assembly,
                         struct failure *failure)
{
    struct run_outcome outcome = {0};
    struct kernel kernel = {0};
    char *emitted = results_name(arguments), *isa = NULL;
    if (!emitted)
        failure_memory(failure, "naming the results");
    ahead_check(arguments, &documents->plan, failure);
    launch_threads_check(failure);
    if (!comm_agree(comm, failure) ||
        !kernel_find(&kernel, comm, arguments, &documents->plan, failure))
        goto out;
    comm_align_clocks(comm);
    isa = instructions_gather(comm);
    struct execution execution = {
        .comm = comm,
        .kernel = &kernel,
        .plan = &documents->plan,
        .plan_text = documents->plan_text,
        .profile_text = documents->profile_text,
        .plan_name = arguments->plan,
        .input = arguments->input,
        .output = arguments->output,
        .command_line = arguments->line,
        .emitted = emitted,
        .emitted_given = arguments->results != NULL,
        .resume = arguments->resume,
        .isa = isa,
        .threads = threads_choose(comm, &documents->plan),
        .rule = arguments->rule,
        .replan = arguments->replan,
        .tail = tail_choose(arguments, &documents->plan),
        .ahead = arguments->ahead > 0 ? (int)arguments->ahead : WATCHING_AHEAD,
        .quiet = arguments->quiet,
        .patience_s = arguments->patience_s,
        .assembly = assembly,
    };
    if (comm->rank == 0)
        intent_print(arguments, documents, &execution);
    if (execute_run(&execution, &outcome, failure) && comm->rank == 0) {
        outcome_print(arguments, &outcome);
        rejections_tell(arguments, &outcome, failure);
    }
    comm->broken = outcome.broken;
    comm->others = outcome.others;
    outcome.others = (struct process_list){NULL, 0};
out:
    free(isa);
    free(emitted);
    run_outcome_release(&outcome);
    kernel_close(&kernel);
}

static void run_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {.patience_s = PATIENCE_USUAL};
    struct documents documents = {0};
    struct assembly assembly = {.comm = NULL};
    bool over = false;
    arguments_parse(comm, argc, argv, &arguments, &over, failure);
    if (!comm_agree(comm, failure) || over)
        return;
    arguments.line = line_make(comm, argc, argv);
    if (assembly_begin(&assembly, comm, arguments.output, ASSEMBLY_FACTOR * arguments.patience_s,
                       failure) &&
        documents_read(&documents, comm, arguments.plan, arguments.profile, failure))
        plan_execute(comm, &arguments, &documents, &assembly, failure);
    assembly_end(&assembly);
    free(arguments.line);
    documents_release(&documents);
}

int run_main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    interrupt_watch();
    launch_begin(&comm, &argc, &argv);
    run_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow run", &failure);
}
