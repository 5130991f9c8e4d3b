/*
 * The work of a run, made from names and numbers: which kernel, with which settings, on which
 * image, cut into which blocks. Every rank makes the same one by itself.
 */
#ifndef SPMD_JOB_JOB_H
#define SPMD_JOB_JOB_H

#include "kernel/kernel.h"
#include "planner/base/failure.h"
#include "planner/base/parameter.h"

struct job {
    const struct kernel *kernel;
    struct kernel_setup setup;
    struct kernel_job *made; /* owned */
    int64_t tasks;
};

/* Local. Fill *setup's values: the kernel's defaults, then `parameters`. `where` names the file or
 * command they come from. An unknown name or value is refused with the nearest known one. */
bool job_parameters(const struct kernel *kernel, const struct parameter_list *parameters,
                    const char *where, struct kernel_setup *setup, struct failure *failure);
/* Local. The reverse: every parameter with its value, as a profile carries them. */
bool job_describe(const struct kernel *kernel, const struct kernel_setup *setup,
                  struct parameter_list *parameters, struct failure *failure);
/* Local. The kernel of that name, or a sentence with the nearest. */
const struct kernel *job_kernel(const char *name, const char *where, struct failure *failure);
/* Local. `input` names the image in failures. */
bool job_init(struct job *job, const struct kernel *kernel, const struct kernel_setup *setup,
              const char *input, struct failure *failure);
void job_release(struct job *job);

#endif
