/*
 * Core tasks for scow: one interface for those that are built in, for plug-ins (a shared object
 * that defines `scow_plugin`, named with -k ./FILE.so) and for programs of users (which hand a task
 * to scow_main).
 *
 * A job is `tasks` independent core tasks, numbered from 0; a package is a number of consecutive
 * ones. scow decides which worker computes which package and when; a struct scow_task says how:
 *
 *  - describe, on the master: how many core tasks the input has, and what all ranks need to know.
 *  - open, on every rank: prepare the job from that.
 *  - results, on every rank: the kinds of result: a grid, records, a reduction, bytes, or several
 * of them.
 *  - pack, on the master (or, staged, on the worker): the data that a package needs.
 *  - start, on a worker, before its first package; stop after its last.
 *  - compute, on a worker: a package.
 *  - next, on the master, of a task with SCOW_LEVELS: the core tasks of the next level.
 *  - close, on every rank.
 *
 * Rules. Everything passed to a callback is borrowed for that call, except the setup, which is
 * valid until close. Callbacks that take a host return an enum scow_status; before SCOW_FAILED they
 * call host->fail with one sentence that says what is wrong and what to do. Results depend on
 * parameters, input and the task's number alone: not on packages, ranks, threads or order.
 * Callbacks may be called by any one thread at a time; compute of a task with SCOW_THREADS_HOST by
 * several at once, each with buffers of its own. A plug-in is not linked with any library of scow,
 * and calls no MPI function.
 *
 * Versions. Structures here grow at their ends only, by minor versions (those that stand in tables,
 * scow_parameter and scow_field, never). A host takes tasks of its own major version and of no
 * newer minor one.
 */
#ifndef SCOW_H
#define SCOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCOW_ABI_MAJOR 1u
#define SCOW_ABI_MINOR 2u
#define SCOW_ABI (SCOW_ABI_MAJOR << 16 | SCOW_ABI_MINOR)

enum scow_status {
    SCOW_OK,
    SCOW_FAILED, /* host->fail was called */
    SCOW_STOPPED /* by compute, because host->pulse returned true; results are not used */
};

/* Of numbers, in host byte order. */
enum scow_type {
    SCOW_NONE,
    SCOW_U8,
    SCOW_U16,
    SCOW_U32,
    SCOW_U64,
    SCOW_I32,
    SCOW_I64,
    SCOW_F32,
    SCOW_F64,
    SCOW_TEXT_BYTES /* only in records: UTF-8, padded with zeros */
};

/* ---- parameters ---------------------------------------------------------------------------- */

enum scow_parameter_kind {
    SCOW_NUMBER,
    SCOW_WHOLE, /* a number without a fraction, up to 2^53 */
    SCOW_WORD,  /* one of `words` */
    SCOW_TEXT,
    SCOW_PATH /* of a file that exists when it is given; made absolute */
};

/* Maximum number of parameters of a core task. */
#define SCOW_PARAMETERS_MOST 64

/* An option of scow calibrate, --name VALUE; kept in profile and plan; of scow run, too, where
 * run_parameters names it. A table of these ends with one whose name is NULL. */
struct scow_parameter {
    const char *name; /* lower-case letters, digits and hyphens */
    const char *help;
    int kind;                        /* enum scow_parameter_kind */
    double initial, least, greatest; /* of numbers: default and range; of a word: default's index */
    const char *const *words;        /* NULL-terminated; NULL but for SCOW_WORD */
    const char *text;                /* default of SCOW_TEXT and SCOW_PATH; may be NULL */
};

/* Within its parameter's range. */
struct scow_value {
    double number;    /* of a word: its index */
    const char *text; /* of words, texts and paths; NULL: a text or path that was not given */
};

/* ---- input --------------------------------------------------------------------------------- */

enum scow_input_kind {
    SCOW_INPUT_NONE,
    SCOW_INPUT_IMAGE,     /* image file: extent slices, rows, columns; U8, U16 or F32 */
    SCOW_INPUT_LINES,     /* text: extent[0] lines, without their line ends */
    SCOW_INPUT_SEQUENCES, /* FASTA: extent[0] sequences with names; letters without white space */
    SCOW_INPUT_FILE       /* any regular file, which the task reads by itself, by its name */
};

struct scow_input {
    int kind; /* enum scow_input_kind */
    int type; /* of an image's pixels: enum scow_type */
    int64_t extent[3];
    const char *name; /* as the user named it */
};

/* A line or a sequence; borrowed until the next one is asked for. */
struct scow_item {
    const char *bytes; /* followed by a zero that does not count */
    size_t size;
    const char *name; /* of a sequence: its header without the '>'; else NULL */
};

/* ---- the host ------------------------------------------------------------------------------ */

/* Core tasks that have ended, and those of them that failed. */
struct scow_others {
    int64_t finished, failed;         /* of other workers */
    int64_t all_finished, all_failed; /* of all workers, at about one time: for computing shares */
    int64_t told;                     /* how often these two were updated */
    double median_s; /* median time of core tasks that did not fail, of all workers; 0: not known */
};

/* Functions of scow that a callback may call. */
struct scow_host {
    uint32_t size, abi; /* of the host's own version of this structure */
    /* One sentence, made one line where it is more; the first one counts. Always returns
     * SCOW_FAILED, so that `return host->fail(host, ...)` can be written. Any thread. */
    int (*fail)(const struct scow_host *host, const char *format, ...)
#ifdef __GNUC__
        __attribute__((format(printf, 2, 3)))
#endif
        ;
    /* In describe, weigh and pack. Copies rows x columns pixels of one slice, row-major and without
     * gaps.
     */
    int (*read_image)(const struct scow_host *host, int64_t slice, int64_t row, int64_t column,
                      int64_t rows, int64_t columns, void *pixels);
    /* In describe, weigh and pack: line or sequence number `index`. */
    int (*read_item)(const struct scow_host *host, int64_t index, struct scow_item *item);
    /* In describe and next: these bytes, copied, are given to open on every rank. */
    int (*share)(const struct scow_host *host, const void *bytes, size_t size);
    /* In compute, at least every few milliseconds: lets messages advance. True: the run is being
     * stopped, return SCOW_STOPPED soon. Only the thread that was called. */
    bool (*pulse)(const struct scow_host *host);
    /* In compute: report that this task failed, and why; other tasks go on. It is marked as failed
     * in the ledger; its part of grid and records is left out of every sum, mean and checksum;
     * compute itself must leave it out of a reduction. Any thread. */
    void (*reject)(const struct scow_host *host, int64_t task, const char *why);
    /* In compute, if results announce `emits`: append bytes to the task's output. Any thread. */
    int (*emit)(const struct scow_host *host, int64_t task, const void *bytes, size_t size);
    /* Since minor version 1. In start: `threads` and `rank` of the later batches of this workspace.
     */
    int threads, rank;
    /* Since minor version 1. In compute, by a task whose `start` began something that goes on by
     * itself, such as a program that loads a model: report how many seconds after the call of
     * `start` that was ready; the last report counts. These seconds are not part of computing. Any
     * thread. */
    void (*started)(const struct scow_host *host, double seconds);
    /* Since 1.1, for tasks with SCOW_THREADS_OWN; NULL if not used (SCOW_HOST_HAS). In compute:
     * report that this task has ended, after that many seconds, done or failed. Other workers know
     * it within seconds. Only the thread that was called. */
    void (*finished)(const struct scow_host *host, int64_t task, double seconds, bool failed);
    /* Since 1.1; as `finished`. In compute: get the counts that all workers have reported so far.
     */
    void (*others)(const struct scow_host *host, struct scow_others *others);
    /* Since 1.1. As fail, in settle, describe and open: the value of that parameter is wrong for
     * any input. The sentence names it ("--width is ..."); it is reported as a wrong command line
     * or, if the value came from a file, as a wrong file. */
    int (*refuse)(const struct scow_host *host, const char *parameter, const char *format, ...)
#ifdef __GNUC__
        __attribute__((format(printf, 3, 4)))
#endif
        ;
};

/* Has this host, which may be an older one, that callback? */
#define SCOW_HOST_HAS(host, callback)                                                              \
    ((host)->size >= offsetof(struct scow_host, callback) + sizeof((host)->callback) &&            \
     (host)->callback)

/* ---- a job --------------------------------------------------------------------------------- */

/* The same on every rank, and valid until close. */
struct scow_setup {
    const struct scow_value *values; /* in the order of the task's parameters */
    struct scow_input input;
    int64_t tasks;      /* as describe said */
    const void *shared; /* as describe shared it, or next; aligned for any type */
    size_t shared_size;
    int64_t level; /* since 1.2: of a task with SCOW_LEVELS, from 1 on; of others 0 */
};

enum scow_field_flag {
    SCOW_MEASURED = 1 /* differs from run to run (a time, a rank): not part of the checksum */
};

struct scow_field {
    const char *name;       /* NULL: the table's end */
    int type;               /* enum scow_type */
    uint32_t offset, count; /* bytes from the record's start; numbers (of text: bytes), >= 1 */
    uint32_t flags;         /* of enum scow_field_flag */
};

/* The kinds of result of a job: any combination. Zeroed by the host. */
struct scow_results {
    /* A grid [z][y][x] of numbers, /response: every core task fills a box of it. */
    int grid_type; /* enum scow_type; SCOW_NONE: no grid */
    int64_t grid_extent[3];
    int64_t grid_tile[3]; /* the most one task fills. Boxes may start anywhere and differ in size,
                           * are disjoint, and fill the grid together */
    bool grid_picture;    /* also as a picture, /normalized, scaled from least to greatest */
    /* Records, /result: one of fixed size for every core task. */
    const struct scow_field *fields; /* NULL: no records; kept until close */
    size_t record_size;
    /* A reduction, /run/result: a state that states of parts merge into, in any order. */
    size_t state_size; /* 0: no reduction */
    /* Bytes of any length a core task, by host->emit; no part of the checksum. */
    bool emits;
};

/* Consecutive tasks of a package, to be computed; where the user orders the job in another way, see
 * `stride`, with what is said of task first + k said of task first + k * stride. */
struct scow_batch {
    int64_t first, count; /* core tasks */
    /* As pack wrote it for tasks [package_first, package_first + package_count), of which the batch
     * is a part; aligned to 64. */
    const void *package;
    size_t package_size;
    int64_t package_first, package_count;
    void *workspace; /* this caller's alone, kept from batch to batch; zeroed before start */
    void *grid;      /* task first + k at k boxes of grid_tile, each row-major without gaps over the
                      * box that the task really fills; every number must be written */
    void *records;   /* task first + k at k * record_size, zeroed; must be filled */
    void *state;     /* reset; the batch's tasks are to be added */
    int threads;     /* OpenMP threads that may be used; 1 with SCOW_THREADS_HOST */
    int rank;        /* of the worker, from 1; for records that say who did what */
    /* Since 1.1. Core task number k of the batch is first + k * stride; 1 but for tasks with
     * SCOW_STRIDED. */
    int64_t stride;
};

enum scow_threads {
    SCOW_THREADS_HOST, /* the host cuts packages and calls compute from several threads at once */
    SCOW_THREADS_OWN   /* one call, which may use batch->threads OpenMP threads */
};

enum scow_flag {
    SCOW_ONCE = 1,  /* has side effects; users are warned that a task may be started more than once:
                     * in a calibration, after the loss of a worker, in a resumed run */
    SCOW_WARM = 2,  /* compute may be tried on a package of zeros, whose results are thrown away,
                     * before the clock starts */
    SCOW_SLEEP = 4, /* every operation also sleeps, where scow does it, what the profile says it
                     * costs: the executor with known costs */
    SCOW_STRIDED = 8, /* since 1.1: compute takes batches of every R-th core task, of a task without
                       * `pack`, where the user orders the job so (calibrate --order). Without it,
                       * and with `pack`, a batch is a single core task then. */
    SCOW_LEVELS = 16  /* since 1.2: a search in levels, whose core tasks follow from what those of
                       * the level before emitted: `next` says which */
};

/* Since 1.2. What the core tasks of a level have emitted, all of which are done: of task k the
 * bytes [at[k], at[k + 1]), in the order of its calls of emit. */
struct scow_survivors {
    int64_t tasks;
    const int64_t *at; /* tasks + 1 numbers, the first is 0 */
    const void *bytes; /* aligned for any type */
};

/* A kind of core task. Constant. Callbacks that a task does not need are NULL; describe and compute
 * must be there. */
struct scow_task {
    uint32_t size, abi; /* SCOW_TASK */
    const char *name;   /* lower-case letters, digits and hyphens */
    const char *version;
    const char *summary;                     /* one line */
    const char *core_task;                   /* what one core task is: "one row of pixels" */
    const char *outcome;                     /* what results look like, a sentence or two */
    const struct scow_parameter *parameters; /* NULL: none */
    int input;                               /* enum scow_input_kind */
    int threads;                             /* enum scow_threads */
    uint32_t flags;                          /* of enum scow_flag */

    /* Master. Replace values that depend on the processor ("auto") by actual ones, so that all
     * ranks do the same. Texts must be static. */
    int (*settle)(const struct scow_host *host, const struct scow_input *input,
                  struct scow_value *values);
    /* Master, and where one only plans. Check values against input; *tasks >= 1. It should be
     * cheap: preparation of the job belongs in open. */
    int (*describe)(const struct scow_host *host, const struct scow_value *values,
                    const struct scow_input *input, int64_t *tasks);
    /* Every rank, the planner's too. *job is the task's own, read-only from here on. */
    int (*open)(const struct scow_host *host, const struct scow_setup *setup, void **job);
    void (*close)(void *job);
    /* How the job is computed, in one line, cut to `size` bytes: ranks that differ here end the
     * run. */
    void (*method)(const void *job, char *text, size_t size);
    void (*results)(const void *job, struct scow_results *results);

    /* The most bytes that pack writes for any `count` consecutive tasks; grows with count. NULL
     * without pack. */
    size_t (*package_size_most)(const void *job, int64_t count);
    /* Write what computing tasks [first, first + count) needs to `package` (aligned to 64, with
     * room for package_size_most(count)), and how many bytes that were to *size. */
    int (*pack)(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                void *package, size_t *size);

    /* Workspace of one caller of compute, aligned to 4096; with SCOW_THREADS_HOST threads is 1. */
    size_t (*workspace_size)(const void *job, int threads);
    /* Worker, once for every workspace: before its first batch and after its last. stop is called
     * after every start that returned SCOW_OK, also when the run fails. */
    int (*start)(const struct scow_host *host, const void *job, void *workspace);
    void (*stop)(const void *job, void *workspace);
    int (*compute)(const struct scow_host *host, const void *job, const struct scow_batch *batch);

    /* Of a grid: the box that one task fills. */
    void (*place)(const void *job, int64_t task, int64_t start[3], int64_t count[3]);
    /* Of a reduction: the state of no tasks; the state of one more part into `state` (associative
     * and commutative); and the outcome as JSON, at most `size` bytes with the final zero (returns
     * what it takes, as snprintf does). */
    void (*reset)(const void *job, void *state);
    void (*merge)(const void *job, void *state, const void *part);
    int (*print)(const void *job, const void *state, char *json, size_t size);

    /* When a run's output is read, without a job: print what a task emitted as readable text, at
     * most `room` bytes with the final zero (returns the size needed, as snprintf does). NULL:
     * emitted bytes are text already. */
    size_t (*render)(const void *emitted, size_t size, char *text, size_t room);

    /* Since 1.1. Names of those parameters that do not change what core tasks cost, such as how
     * often a failed one is tried again: scow run takes them, too, and they may differ from the
     * profile's and from those of a run that is resumed. The last is NULL. NULL: none. */
    const char *const *run_parameters;
    /* Since 1.1. Master, and where one plans: estimate what computing each core task costs, in any
     * unit (weights[k] >= 0 of task k, not all 0), where that is cheap: from lengths, or a coarse
     * computation. The same job always gets the same weights, on any machine. May read the input.
     * For scow calibrate and plan --weights task. NULL: not known. */
    int (*weigh)(const struct scow_host *host, const void *job, double *weights);
    /* Since 1.2, with SCOW_LEVELS and results that emit. Master, when all core tasks of a level are
     * done, and where a calibration tries levels, of some of them: *tasks of the next level, for
     * which host->share gives what open needs to know; 0: this was the last, whose results are the
     * job's. `job` is the level's, and is closed afterwards. The same survivors always give the
     * same level. Called again where a run is resumed. */
    int (*next)(const struct scow_host *host, const void *job, const struct scow_survivors *in,
                int64_t *tasks);
};

#define SCOW_TASK .size = (uint32_t)sizeof(struct scow_task), .abi = SCOW_ABI

/* What a plug-in defines. */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct scow_task scow_plugin;

/* A program of a user's own: all commands of scow (calibrate, plan, run, report, show, ...), with
 * this task beside the built-in ones, and -k NAME its default. Returns the exit code. Link with
 * libscow (pkg-config scow, CMake package scow). */
int scow_main(int argc, char **argv, const struct scow_task *task);

#ifdef __cplusplus
}
#endif

#endif
