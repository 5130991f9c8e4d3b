/*
 * The executor with known costs: every operation sleeps, where scow does it, what the profile says
 * (SCOW_SLEEP). A core task leaves a hash of its number, by which completeness and exactly-once can
 * be checked.
 */
#ifndef KERNEL_SLEEP_SLEEP_H
#define KERNEL_SLEEP_SLEEP_H

#include "kernel/scow.h"

extern const struct scow_task sleep_task;

#endif
