/* What a run's output keeps of the level that it is of, where a core task searches in levels; to go
 * on within it, and to find those before. Serial. */
#ifndef SPMD_LAYOUT_LEVEL_FILE_H
#define SPMD_LAYOUT_LEVEL_FILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "spmd/job/job.h"

/* Into a file that is being made; of a job without levels nothing. `before`: the name, without its
 * folder, that the output of the level before has beside this one; NULL: this is the first. */
bool level_file_put(hid_t file, const struct job *job, const char *before);
/* What that level is made of, but for its input. False: the file is of none, or cannot be read, or,
 * with level->level set, what it says is not what was written. To be released in any case. */
bool level_file_get(const char *path, struct description *level);
/* It is done, and no level follows: for who looks at the search. Where that cannot be written, it
 * stays unknown, and who goes on finds it out again. */
void level_file_end(const char *path);
/* Is that known? */
bool level_file_is_last(hid_t file);
/* The level's number, and the name of the output before it (owned; NULL: none). 0: it is of none.
 */
int64_t level_file_number(hid_t file, char **before);

#endif
