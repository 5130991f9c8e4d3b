/*
 * The output as simulated ranks see it: bytes, and a log of writes that no synchronisation has
 * followed. Whoever asks for the file by its name gets a descriptor that these functions know;
 * system calls of the product on such descriptors come here (CMakeLists.txt).
 */
#ifndef TESTS_FAULTS_DISK_H
#define TESTS_FAULTS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_PATH "simulated.h5"
/* Of its own length, from no byte on; there while somebody has made it and nobody removed it. Of
 * other masters than the first one, with their numbers behind a point. */
#define DISK_TRACE DISK_PATH ".trace"

/* Empty: so many zeros; and there. */
void disk_begin(size_t size);
/* What core tasks of a level of a search have emitted, of each rank: as printf has it.
 */
enum { DISK_LEVELS = 6 };
#define DISK_EMITTED "simulated.level%d.results.%d"

/* In place of what is there: these bytes, or, with NULL, no output, but room for so many. */
void disk_replace(const char *bytes, size_t size);
/* The output has been removed, with all that was in it, or is made. */
void disk_vanish(void);
void disk_make(void);
char *disk_bytes(void);
/* The machine is without power: of writes since the last synchronisation only some are there. */
void disk_lose_power(void);
/* Writes from now on are safe, whoever makes them. */
void disk_settle(void);
bool disk_is_there(void);
/* Has that rank the file open to write to it? */
bool disk_is_open(int rank);
/* How many writes there were. */
int64_t disk_writes(void);

#endif
