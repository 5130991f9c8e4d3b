#include "planner/model/operating.h"

#include <assert.h>
#include <string.h>

static const struct operating_traits table[OPERATING_COUNT] = {
    [OPERATING_SINGLE_PORT] = {.name = "single-port",
                               .summary = "one package out and one result in at a time, beside all "
                                          "computing"},
    [OPERATING_MULTI_PORT] = {.name = "multi-port",
                              .summary = "a port of the master's for every worker",
                              .port_each = true},
    [OPERATING_RECEIVE] = {.name = "receive-in-parallel",
                           .summary = "sending takes the sender's processor, receiving does not",
                           .master_sends = true,
                           .worker_returns = true},
    [OPERATING_SEND] = {.name = "send-in-parallel",
                        .summary = "receiving takes the receiver's processor, sending does not",
                        .master_takes = true,
                        .worker_takes = true},
    [OPERATING_WORK] = {.name = "work-in-parallel",
                        .summary = "one message at a time, in or out, beside all computing",
                        .half_duplex = true},
    [OPERATING_NONE] = {.name = "no-parallelism",
                        .summary = "master and workers compute, send and receive in turn",
                        .master_sends = true,
                        .master_takes = true,
                        .worker_takes = true,
                        .worker_returns = true},
};

const struct operating_traits *operating_traits(enum operating operating)
{
    assert(operating < OPERATING_COUNT);
    return &table[operating];
}

bool operating_find(const char *name, enum operating *operating)
{
    for (int k = 0; k < OPERATING_COUNT; k++) {
        if (strcmp(name, table[k].name) == 0) {
            *operating = (enum operating)k;
            return true;
        }
    }
    return false;
}
