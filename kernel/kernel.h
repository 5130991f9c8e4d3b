/*
 * Core tasks. A kernel says how a job is cut into core tasks, packs a package of consecutive ones
 * into one message, computes it, and says where each result belongs. Nothing outside this room
 * knows what a pixel's neighbourhood is.
 *
 * Compute functions are total: arguments are checked when the job is made; workspace is the
 * caller's; there is no allocation, log or I/O inside. Results do not depend on how tasks are
 * grouped into packages, nor on the number of threads, bit for bit.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pixel {
    PIXEL_U8,
    PIXEL_U16, /* host byte order */
    PIXEL_F32
};

size_t pixel_bytes(enum pixel pixel);

/* A stack of images; a single image has one slice. */
struct extent {
    int64_t slices, rows, columns;
    enum pixel pixel;
};

/* Where pixels come from; implemented by the readers. `read` copies rows x columns pixels of one
 * slice, row-major and without gaps, in the extent's pixel type; false: it failed (the reader
 * keeps the sentence). */
struct kernel_source {
    void *self;
    bool (*read)(void *self, int64_t slice, int64_t row, int64_t column, int64_t rows,
                 int64_t columns, void *pixels);
};

/* One setting of a kernel: a number within [least, greatest], or one of the words of `choices`
 * (its value is then the word's index). */
struct kernel_parameter {
    const char *name;
    const char *help;
    const char *const *choices; /* NULL-terminated; NULL for a number */
    double initial, least, greatest;
    bool whole; /* the number must be an integer */
};

enum { KERNEL_PARAMETER_MOST = 16, KERNEL_METHOD_BYTES = 1024 };

struct kernel_setup {
    struct extent extent;
    int block;                            /* edge of a core task, pixels */
    double values[KERNEL_PARAMETER_MOST]; /* one per parameter, in the table's order */
};

/* Called now and then between core tasks, by the thread that called compute and by no other, so
 * that the caller can make progress on communication. */
struct kernel_pulse {
    void (*call)(void *self); /* NULL: nothing */
    void *self;
};

struct kernel_job; /* a kernel's own: filters, sizes; read-only once made */

struct kernel {
    const char *name;
    const char *help;
    const struct kernel_parameter *parameters;
    int parameter_count;
    /* Can this setup be run? If not, one sentence without a file name into why[size]. */
    bool (*check)(const struct kernel_setup *setup, char *why, size_t size);
    /* Put in place of what the setup leaves to this processor what that comes to, so that other
     * processors do the same. */
    void (*settle)(struct kernel_setup *setup);
    int64_t (*task_count)(const struct kernel_setup *setup); /* of a checked setup */
    /* Of a checked setup; NULL: out of memory. Freed by free_job, which sets *job NULL. */
    struct kernel_job *(*new_job)(const struct kernel_setup *setup);
    void (*free_job)(struct kernel_job **job);
    /* How the job is computed, by every rank alike, in one line: "fft for the 150 largest of 210
     * filters, direct for the others, in tiles of 128 x 128". Cut to `size` bytes;
     * KERNEL_METHOD_BYTES are enough. */
    void (*describe)(const struct kernel_job *job, char *text, size_t size);
    /* Shape of /response and of the part one task fills (edge tasks fill less): [z][y][x]. */
    void (*response_shape)(const struct kernel_job *job, int64_t shape[3], int64_t chunk[3]);
    void (*task_place)(const struct kernel_job *job, int64_t task, int64_t start[3],
                       int64_t count[3]);
    /* float values that one task's result takes in a results buffer: task k of a package has its
     * result, row-major and without gaps, at results + k * result_stride. */
    int64_t (*result_stride)(const struct kernel_job *job);
    /* Exact size of the package of tasks [first, first + count), and the most any package of
     * `count` tasks can take. */
    size_t (*package_bytes)(const struct kernel_job *job, int64_t first, int64_t count);
    size_t (*package_bytes_most)(const struct kernel_job *job, int64_t count);
    /* Write package_bytes(job, first, count) bytes to `package`; false: the source failed. */
    bool (*pack)(const struct kernel_job *job, int64_t first, int64_t count,
                 const struct kernel_source *source, void *package);
    /* Bytes of workspace, aligned to 64, that compute needs for that many threads. */
    size_t (*workspace_bytes)(const struct kernel_job *job, int threads);
    void (*compute)(const struct kernel_job *job, int64_t first, int64_t count, const void *package,
                    int threads, void *workspace, const struct kernel_pulse *pulse, float *results);
};

/* All kernels, and the one of that name; NULL when there is none. Borrowed, static. */
const struct kernel *const *kernel_list(size_t *count);
const struct kernel *kernel_find(const char *name);

#endif
