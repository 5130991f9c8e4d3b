/* scow-sense: writes down how busy nodes are, again and again. */
#include <unistd.h>

#include "spmd/launch/launch.h"
#include "spmd/node/node.h"
#include "spmd/node/sensor.h"
#include "spmd/sense/sense.h"

static bool look_write(int file, const struct sense_options *options, const char *node,
                       struct failure *failure)
{
    struct text line = TEXT_INIT;
    double availability;
    if (!sensor_look(&availability, failure))
        return false;
    sense_line(node, "cpu", availability, &line);
    return sense_write(file, options, &line, failure);
}

static bool sense_alone(const struct sense_options *options, struct failure *failure)
{
    char name[256] = "";
    double every_s;
    gethostname(name, sizeof name - 1);
    if (!sense_check(options, &every_s, failure))
        return false;
    const int file = sense_open(options, failure);
    bool good = file >= 0;
    double next_s = sense_now_s();
    for (int64_t k = 0; good && (options->count == 0 || k < options->count); k++) {
        sense_sleep(next_s);
        good = look_write(file, options, options->node ? options->node : name, failure);
        next_s += every_s;
    }
    return sense_close(file, options, failure) && good;
}

int main(int argc, char **argv)
{
    struct sense_options options = sense_usual();
    struct option_row rows[SENSE_ROWS];
    const struct option_table table = sense_table(&options, rows);
    struct failure failure = FAILURE_INIT;
    int operands = 0;
    if (launch_above())
        return sense_ranks(argc, argv);
    if (options_read(&table, argc, argv, NULL, 0, &operands, &failure) == OPTIONS_READ)
        sense_alone(&options, &failure);
    return node_end(&failure);
}
