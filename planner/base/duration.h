/* Durations as people write and read them. */
#ifndef PLANNER_BASE_DURATION_H
#define PLANNER_BASE_DURATION_H

enum { DURATION_SIZE = 32 };

/* Seconds of "45", "45s", "1.5h", "5m", "5min", "1h30m", "2d"; negative: the text is no duration.
 */
double duration_parse(const char *text);
/* "95 s", "12 min 05 s", "3 h 20 min", into `words`, which is returned; a negative duration prints
 * as "0 s". */
char *duration_print(double seconds, char words[DURATION_SIZE]);

#endif
