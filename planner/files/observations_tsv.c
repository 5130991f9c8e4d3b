#include "planner/files/observations_tsv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/textfile.h"
#include "planner/files/tsv_rows.h"

enum { NODE_MOST = 255, KIND_MOST = 15 };

struct look {
    double time_s, value;
    char node[NODE_MOST + 1];
    bool bandwidth; /* false: a share of processors */
};

/* Reads a field of at most `most` bytes, which a tab ends; returns what follows the tab, or NULL:
 * there is no such field. */
static const char *field_read(const char *at, char *field, size_t most)
{
    const size_t length = strcspn(at, "\t\r\n");
    if (length == 0 || length > most || at[length] != '\t')
        return NULL;
    memcpy(field, at, length);
    field[length] = '\0';
    return at + length + 1;
}

static bool look_read(const char *at, struct look *look)
{
    char *end, kind[KIND_MOST + 1];
    look->time_s = strtod(at, &end);
    if (end == at || *end != '\t' || !(look->time_s >= 0 && look->time_s <= LIMIT_TOTAL_S))
        return false;
    at = field_read(end + 1, look->node, NODE_MOST);
    at = at ? field_read(at, kind, KIND_MOST) : NULL;
    if (!at || *at == '\n')
        return false;
    look->value = strtod(at, &end);
    end += *end == '\r';
    look->bandwidth = strcmp(kind, "bandwidth") == 0;
    return end != at && (*end == '\n' || *end == '\0') &&
           (look->bandwidth || strcmp(kind, "cpu") == 0) && look->value > 0 &&
           look->value <= (look->bandwidth ? LIMIT_BANDWIDTH : 1);
}

static bool line_read(void *self, const char *at, int64_t number, const char *name,
                      struct failure *failure)
{
    struct observations *observations = self;
    struct look look;
    if (!look_read(at, &look))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s, line %" PRId64 ": give time_s, a node, cpu, and its availability "
                           "above 0 and at most 1, or bandwidth and bytes a second, separated by "
                           "tabs",
                           name, number);
    struct observed_node *node = observations_node(observations, look.node);
    return (node && observations_add(look.bandwidth ? &node->bandwidth : &node->cpu, look.time_s,
                                     look.value)) ||
           failure_memory(failure, "reading loads");
}

bool observations_parse(struct observations *observations, const char *text, const char *name,
                        struct failure *failure)
{
    struct observations read = {.nodes = NULL};
    const struct tsv_table table = {.text = text, .name = name, .take = line_read, .self = &read};
    bool good = tsv_rows_read(&table, failure);
    if (good && read.count == 0)
        good =
            failure_set(failure, FAILURE_MISMATCH,
                        "%s: has no observations: make the file with 'scow sense -o FILE'", name);
    if (good && !observations_sort(&read))
        good = failure_memory(failure, "reading loads");
    if (good)
        *observations = read;
    else
        observations_release(&read);
    return good;
}

bool observations_read(struct observations *observations, const char *path, struct failure *failure)
{
    size_t length;
    char *text = textfile_read(path, &length, failure);
    const bool good = text && observations_parse(observations, text, path, failure);
    free(text);
    return good;
}
