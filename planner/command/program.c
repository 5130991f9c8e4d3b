#include "planner/command/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/nearest.h"
#include "planner/base/wrap.h"
#include "planner/command/command.h"
#include "planner/command/readers.h"
#include "planner/command/sibling.h"

struct command {
    const char *name, *summary;
    /* NULL: the command is a parallel one, within this program or, if it is not linked in, a
     * program of its own. */
    bool (*run)(int argc, char **argv, struct failure *failure);
};

static const struct command commands[] = {
    {"go", "do a job that nobody has measured: scow go -j 8 ...", NULL},
    {"calibrate", "measure this cluster: mpiexec -n P+1 scow calibrate ...", NULL},
    {"plan", "choose workers, rounds and package sizes, and predict the run", command_plan},
    {"run", "execute a plan: mpiexec -n P+1 scow run plan.json ...", NULL},
    {"serve", "lead a run whose workers come and go: scow serve plan.json ...", NULL},
    {"work", "join such a run: scow work out.h5.access", NULL},
    {"chunk", "do one chunk of a job in chunks: scow chunk out.h5.parts 7", NULL},
    {"collect", "put all chunks into one output: scow collect out.h5.parts -o out.h5", NULL},
    {"report", "compare a finished run with its prediction", command_report},
    {"show", "describe a profile, a plan or a run's output", command_show},
    {"tasks", "list the kinds of core task, or describe one", command_tasks},
    {"simulate", "simulate a plan or a rule without a cluster", command_simulate},
    {"sense", "write down how busy a node is: scow sense -o load.tsv", NULL},
    {"load", "put load on a node, for experiments with shared machines", NULL},
    {"bench", "measure packages a second here: mpiexec -n P+1 scow bench rate", NULL},
};

/* __VERSION__ of Clang begins with its name, that of gcc does not. */
#ifdef __clang__
static const char compiler_family[] = "";
#else
static const char compiler_family[] = "gcc ";
#endif

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static bool usage_print(struct failure *failure)
{
    struct text text = TEXT_INIT;
    text_add(&text, "Usage: scow COMMAND [options]\n\n"
                    "Plan and run large numbers of independent core tasks on a cluster, and know "
                    "beforehand how long they will take.\n\nCommands:\n");
    for (size_t k = 0; k < COMMAND_COUNT; k++)
        text_add(&text, "  %-10s  %s\n", commands[k].name, commands[k].summary);
    text_add(&text,
             "\n'scow COMMAND --help' describes each of them; 'scow help COMMAND' is the same.\n");
    return wrap_print(&text, "describing the commands", failure);
}

/* For users who do not know where to begin. */
static void beginning_print(FILE *out)
{
    fputs("scow runs large numbers of independent core tasks, and predicts how long they take. At "
          "once, on 8 "
          "workers:\n\n"
          "  scow go -j 8 -k command --command 'prog {}' -i lines.txt -o out.h5\n\n"
          "Or planned before you queue for it, on P workers and a master:\n\n"
          "  mpiexec -n P+1 scow calibrate -i INPUT -o profile.json    what does everything cost?\n"
          "  scow plan -p profile.json -i INPUT -o plan.json           how long will it take?\n"
          "  mpiexec -n P+1 scow run plan.json -i INPUT -o out.h5      do it\n"
          "  scow report out.h5                                        was it right?\n\n"
          "INPUT is an image, or a stack of them; 'scow tasks' lists what else can be run.\n",
          out);
}

static void version_print(void)
{
    struct failure none = FAILURE_INIT;
    const struct readers *readers = readers_find(NULL, &none);
    printf("scow %s\n", SCOW_VERSION);
    printf("compiler %s%s\n", compiler_family, __VERSION__);
    printf("%s\n", readers ? readers->libraries() : "planner only: no MPI, no HDF5");
}

static const struct command *command_find(const char *name, struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    for (size_t k = 0; k < COMMAND_COUNT; k++) {
        if (strcmp(name, commands[k].name) == 0)
            return &commands[k];
        nearest_try(&nearest, commands[k].name);
    }
    failure_set(failure, FAILURE_USAGE, "unknown command '%.60s': %s", name,
                nearest_hint(&nearest, "", "see 'scow --help'", hint));
    return NULL;
}

/* The parallel command of that name within this program; NULL: it has none of that name. */
static int (*parallel_find(const struct program_parallel *parallel, const char *name))(int, char **)
{
    if (!parallel)
        return NULL;
    if (strcmp(name, "go") == 0)
        return parallel->go;
    if (strcmp(name, "run") == 0)
        return parallel->run;
    return strcmp(name, "calibrate") == 0 ? parallel->calibrate : NULL;
}

/* Turns "help plan" into "plan --help"; "help" alone stays as it is. */
static void help_turn(int argc, char **argv)
{
    static char help[] = "--help";
    for (int k = 1; k + 1 < argc; k++)
        argv[k] = argv[k + 1];
    if (argc > 2)
        argv[argc - 1] = help;
}

/* *code becomes the exit code of a parallel command, which has printed its failures itself. */
static bool command_run(int argc, char **argv, const struct program_parallel *parallel, int *code,
                        struct failure *failure)
{
    if (argc < 2) {
        beginning_print(stderr);
        return failure_set(failure, FAILURE_USAGE, "no command given: see 'scow --help'");
    }
    if (strcmp(argv[1], "help") == 0)
        help_turn(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return usage_print(failure);
    if (strcmp(argv[1], "--version") == 0) {
        version_print();
        return true;
    }
    const struct command *command = command_find(argv[1], failure);
    if (!command)
        return false;
    int (*const own)(int, char **) = parallel_find(parallel, command->name);
    if (!command->run && own) {
        *code = own(argc - 1, argv + 1);
        return true;
    }
    if (!command->run)
        return sibling_execute(command->name, argv + 1, failure);
    return command->run(argc - 1, argv + 1, failure);
}

int program_main(int argc, char **argv, const struct program_parallel *parallel)
{
    static char buffer[65536]; /* glibc ignores the size of a buffer that it allocates itself */
    struct failure failure = FAILURE_INIT;
    int code = 0;
    /* errno of a failed write is known only right after it, so tables and help are collected and
     * written at the end, where it is checked. */
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    command_run(argc, argv, parallel, &code, &failure);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        failure_set(&failure, FAILURE_FAILED,
                    "cannot write standard output: %s; check where it goes",
                    strerror(errno ? errno : EIO));
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "scow: %s\n", failure.text);
    return failure.code != FAILURE_NONE ? (int)failure.code : code;
}
