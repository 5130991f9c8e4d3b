/*
 * What is measured: all combinations of the values that a command line lists.
 */
#ifndef CALIBRATE_SETTINGS_H
#define CALIBRATE_SETTINGS_H

#include "planner/base/failure.h"
#include "spmd/job/values.h"

enum { SETTINGS_MOST = 16, SETTING_PARAMETERS_MOST = 72 };

/* One parameter as typed; borrowed. */
struct setting_wish {
    const char *name;
    const char *typed; /* of a number, or listed: one, or several with commas; NULL: the default */
    bool number;
    bool listed; /* a word, of which there may be several */
};

struct setting {
    struct values values; /* owned */
    int threads;          /* OpenMP threads of a rank; 0: as it was started */
};

struct settings {
    struct setting items[SETTINGS_MOST];
    int count;
    const char *own[SETTING_PARAMETERS_MOST]; /* parameters that are each setting's own; borrowed */
    int own_count;
};

/* Which ways of doing something each combination is measured with. */
enum setting_ways { SETTING_NO = 1, SETTING_YES = 2, SETTING_BOTH = SETTING_NO | SETTING_YES };

/* Of what belongs to a run and not to its task; of both ways, the settings with "yes" come first.
 */
struct setting_switches {
    enum setting_ways staged, write_behind;
    bool collect; /* the master writes what workers return, in all settings */
};

/* The wish of this name is for the number of threads, not for a parameter. */
#define SETTING_THREADS "threads"

/* To be released also on failure, which is FAILURE_USAGE. */
bool settings_read(struct settings *settings, const struct scow_task *task,
                   const struct setting_wish *wishes, int count,
                   const struct setting_switches *switches, struct failure *failure);
void settings_release(struct settings *settings);

#endif
