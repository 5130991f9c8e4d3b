/*
 * Starting and ending a parallel command: MPI up, options parsed alike on every rank, files read
 * once and parsed everywhere, one sentence on stderr, one exit code on every rank.
 */
#ifndef SPMD_LAUNCH_LAUNCH_H
#define SPMD_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/base/failure.h"
#include "planner/base/options.h"
#include "planner/base/text.h"
#include "spmd/transport/comm.h"

/* Local. Has a launcher of ranks started this process? */
bool launch_above(void);
/* Collective. Begins MPI, and makes the communicator of all ranks. A rank that waits for another
 * one for ten minutes, here and until launch_assembled, says so and ends. */
void launch_begin(struct comm *comm, int *argc, char ***argv);
/* Local. Some are lost, and the others come together without them: the same for a minute. */
void launch_assemble(void);
/* Local. Something else (liveness.h) looks after the ranks now. */
void launch_assembled(void);
/* Collective. Prints the agreed sentence as "NAME: sentence" on the master and ends MPI; returns
 * the exit code. Where ranks are lost (comm->broken), local to those that are left, and does
 * not return: the process ends with the code of `failure`. */
int launch_end(struct comm *comm, const char *name, const struct failure *failure);
/* Collective. Parses the command line; on --help or --version prints on the master and sets *over.
 */
bool launch_options(const struct comm *comm, const struct option_table *table, int argc,
                    char **argv, char **operands, int operand_most, int *operand_count,
                    const bool *version, bool *over, struct failure *failure);
/* Local, the same on every rank. Refuses fewer than two ranks: a master and a worker. */
bool launch_ranks_check(const struct comm *comm, struct failure *failure);
/* The row of an option that several parallel commands share, by its name, which must be one of the
 * table in launch.c; `value` is what the row's kind asks for. */
struct option_row launch_row(const char *name, void *value);
/* What --patience says must be above 0. */
bool launch_patience_check(double patience_s, struct failure *failure);
/* A blank and that word, with odd characters in quotes, as a shell wants it. */
void launch_word_add(struct text *text, const char *word);
/* The command line that started the command, as it could be typed: "mpiexec -n 3 scow run ...".
 * Owned; NULL: it is too long to be kept, or memory ended. */
char *launch_line(const struct comm *comm, const char *command, int argc, char **argv);
/* Collective. The file's text on every rank, read by the master; owned. NULL with *failure set. */
char *launch_read(const struct comm *comm, const char *path, size_t *length,
                  struct failure *failure);
/* Local. The input by its name: standard input, which the master alone has, is written beside
 * the output first, unless a run goes on `again` with what is there. Owned; NULL: there is none, or
 * with *failure set, which may be on this rank alone. */
char *launch_input(const struct comm *comm, const char *input, const char *output, bool again,
                   struct failure *failure);
/* Collective. OpenMP threads for this rank: OMP_NUM_THREADS where it is set, otherwise the cores
 * this rank may use, shared among the workers of its node. */
int launch_threads(const struct comm *comm);
/* Local. Are those that OMP_NUM_THREADS asks for no more than a rank can have? */
bool launch_threads_check(struct failure *failure);
/* One line: version, MPI, HDF5, compiler, instruction set. Static. */
const char *launch_version(void);

#endif
