/* What other programs say: those of batch systems. */
#ifndef SPMD_NODE_COMMAND_ANSWER_H
#define SPMD_NODE_COMMAND_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

/* What a command prints, of which at most `size` bytes with the final zero are kept; its errors go
 * nowhere. `words` end with a NULL. Waits for it. False: it fails, or there is no such command. */
bool command_answer(char *const words[], char *answer, size_t size);

#endif
