/* Processes and descriptors that are left after a test: none but the spawner's own. */
#ifndef TESTS_KERNEL_COMMAND_LEFT_H
#define TESTS_KERNEL_COMMAND_LEFT_H

#include <stdbool.h>

/* A process's state, its parent and its session; false: there is none of that number. */
bool process_read(const char *pid, char *state, int *parent, int *session);
/* A few milliseconds. */
void nap(void);
/* So many processes are in a session, or soon will be: what was killed may take a moment to go. */
void assert_session(int session, int processes);

/* After command_spawner_begin: the spawner is this program's only child. Its session. */
int left_begin(void);
/* Before and after every test. */
int left_before(void **state);
int left_after(void **state);

#endif
