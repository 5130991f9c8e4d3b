/* A plug-in as small as can be; what is defined when it is compiled makes it a wrong one. */
#include <stddef.h>

#include "kernel/scow.h"

#ifndef PLUGIN_ABI
#define PLUGIN_ABI SCOW_ABI
#endif
#ifndef PLUGIN_SIZE
#define PLUGIN_SIZE sizeof(struct scow_task)
#endif
#ifndef PLUGIN_NAME
#define PLUGIN_NAME "variant"
#endif
#ifndef PLUGIN_DESCRIBE
#define PLUGIN_DESCRIBE variant_describe
#endif
#ifndef PLUGIN_COMPUTE
#define PLUGIN_COMPUTE variant_compute
#endif
#ifndef PLUGIN_SYMBOL
#define PLUGIN_SYMBOL scow_plugin
#endif
#ifndef PLUGIN_PARAMETER
#define PLUGIN_PARAMETER "power"
#endif
#ifndef PLUGIN_INITIAL
#define PLUGIN_INITIAL 2
#endif

#ifndef PLUGIN_RUN
#define PLUGIN_RUN NULL
#endif

extern const struct scow_task PLUGIN_SYMBOL;
/* Some variants do without. */
int variant_describe(const struct scow_host *host, const struct scow_value *values,
                     const struct scow_input *input, int64_t *tasks);
int variant_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch);

static const struct scow_parameter parameters[] = {
    {.name = PLUGIN_PARAMETER,
     .help = "to which numbers are raised",
     .kind = SCOW_WHOLE,
     .initial = PLUGIN_INITIAL,
     .least = 1,
     .greatest = 3},
    {.name = NULL},
};

int variant_describe(const struct scow_host *host, const struct scow_value *values,
                     const struct scow_input *input, int64_t *tasks)
{
    (void)host;
    (void)values;
    (void)input;
    *tasks = 3;
    return SCOW_OK;
}

int variant_compute(const struct scow_host *host, const void *job, const struct scow_batch *batch)
{
    (void)host;
    (void)job;
    (void)batch;
    return SCOW_OK;
}

#ifdef PLUGIN_WEIGHT
static int variant_weigh(const struct scow_host *host, const void *job, double *weights)
{
    (void)host;
    (void)job;
    weights[0] = 1;
    weights[1] = PLUGIN_WEIGHT;
    weights[2] = 0;
    return SCOW_OK;
}
#else
#define variant_weigh NULL
#endif

static const char *const run_parameters[] = {PLUGIN_RUN, NULL};

const struct scow_task PLUGIN_SYMBOL = {
    .size = (uint32_t)(PLUGIN_SIZE),
    .abi = PLUGIN_ABI,
    .name = PLUGIN_NAME,
    .version = "1",
    .summary = "do nothing",
    .core_task = "nothing",
    .outcome = "none",
    .parameters = parameters,
    .describe = PLUGIN_DESCRIBE,
    .compute = PLUGIN_COMPUTE,
    .run_parameters = run_parameters,
    .weigh = variant_weigh,
};
