#include "spmd/launch/output_lock.h"

#include "planner/base/file_lock.h"
#include "spmd/transport/clock.h"

int output_lock(const char *path, struct failure *failure)
{
    static const double patience_s = 5, nap_s = 0.05;
    const double start_s = clock_now();
    for (;;) {
        struct failure held = FAILURE_INIT;
        const int file = file_lock_first(path, &held);
        if (file >= 0)
            return file;
        if (clock_now() - start_s > patience_s) {
            failure_set(failure, held.code, "%s", held.text);
            return -1;
        }
        clock_nap(nap_s);
    }
}
