/*
 * Energy that a node takes, by the counters of its processors: Linux's powercap, which shows the
 * RAPL counters of Intel's and AMD's processors as files
 * (https://docs.kernel.org/power/powercap/powercap.html).
 *
 * Counted are packages ("intel-rapl:N" of name "package-N"), which hold cores and graphics, and the
 * memory beside them ("intel-rapl:N:M" of name "dram"); what else a node needs (disks, fans, power
 * supply, accelerators) is in none of them. Since Linux 5.10 they can be read by root alone, unless
 * somebody allows more.
 */
#ifndef SPMD_RUN_ENERGY_H
#define SPMD_RUN_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#define ENERGY_ROOT "/sys/class/powercap"
/* In its place, where it is set: where a container has it. */
#define ENERGY_ROOT_VARIABLE "SCOW_POWERCAP"

enum { ENERGY_COUNTERS_MOST = 64, ENERGY_PATH_SIZE = 512 };

struct energy_counter {
    char path[ENERGY_PATH_SIZE]; /* of its energy_uj */
    uint64_t range_uj, last_uj;  /* it begins anew at 0 when it has reached its range */
};

struct energy_meter {
    struct energy_counter counters[ENERGY_COUNTERS_MOST];
    int count;       /* 0: nothing can be read, and nothing is known */
    double energy_j; /* since the beginning, of all counters */
};

/* Local. Find the counters below `root`, and begin to count. */
void energy_meter_begin(struct energy_meter *meter, const char *root);
/* Local. Add what has been taken since the last call; to be called before any counter can wrap
 * twice. When one cannot be read any more, all is unknown. */
void energy_meter_advance(struct energy_meter *meter);

/* A meter that is read often enough by a thread of its own. */
struct energy_watch;
/* Local. Below SCOW_POWERCAP, or ENERGY_ROOT. NULL where another rank watches the node, or memory
 * is out. */
struct energy_watch *energy_watch_begin(bool first_on_node);
/* Joules of the node until now: none of NULL, NaN where no counter can be read. */
double energy_watch_read(struct energy_watch *watch);
void energy_watch_end(struct energy_watch *watch);

#endif
