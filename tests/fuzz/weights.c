/* Fuzz target: any file is weights of core tasks, by each of its readers, or is refused with a
 * sentence. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "planner/files/weights_file.h"
#include "tests/fuzz/target.h"

/* Takes over the weights. */
static void weights_check(struct task_weights *weights, const struct failure *failure)
{
    if (!weights) {
        if (failure->code == FAILURE_NONE || failure->text[0] == '\0')
            abort();
        return;
    }
    const struct work *work = &weights->work;
    if (work->tasks < 1 || !(weights->deviation >= 0))
        abort();
    weights_free(weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { COLUMN = 2 };
    char path[] = "/tmp/scow-fuzz-weights-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0)
        abort();
    struct failure plain = FAILURE_INIT, column = FAILURE_INIT, log = FAILURE_INIT;
    struct failure sizes = FAILURE_INIT;
    weights_check(weights_read(path, &plain), &plain);
    weights_check(weights_read_column(path, COLUMN, &column), &column);
    weights_check(weights_read_log(path, path, &log), &log);
    weights_check(weights_read_sizes(path, &sizes), &sizes);
    unlink(path);
    return 0;
}
