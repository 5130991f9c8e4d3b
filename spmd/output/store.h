/*
 * Results into the output file as they come, from all ranks at once. A task's byte in /ledger is
 * written after its data, so that a killed run's file says truly what it holds.
 *
 * What a rank has of a reduction lies in /partial, in two slots that are written in turn: a rank
 * that dies while writing one leaves the other. A slot names the last package that is in it, whose
 * ledger may not have been written any more; nothing is counted twice or lost.
 */
#ifndef SPMD_OUTPUT_STORE_H
#define SPMD_OUTPUT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/dispatch/dispatch.h"
#include "spmd/job/engine.h"
#include "spmd/job/summary.h"
#include "spmd/output/outputfile.h"
#include "spmd/transport/comm.h"

struct store;

/* Whose places, of states and of what is emitted, the one master of a run writes to who collects
 * results. */
enum { STORE_COLLECTOR = 1 };

/* What a store is opened on; borrowed. */
struct store_setup {
    const char *path;    /* a file that outputfile_create made on the master for the same job */
    const char *emitted; /* where rank R keeps what its tasks emit: EMITTED.R */
    bool temporary;      /* for trial writes: what is emitted goes as soon as nobody has it open */
    int slots;           /* then: workers that it has room for states of */
    /* Masters write what their workers have computed; these need not see the file, and open
     * nothing. Then: this rank is a master, and the places that it writes to, of a rank that no
     * other one writes to; 0: its workers are masters, and nothing comes to it. */
    bool collected, leads;
    int collects_as;
    /* Else: the places that the master writes to what it has computed itself, of a rank that no
     * worker has; 0: it computes nothing. */
    int master_as;
    bool resumed; /* go on with what a run before has left, mended (spmd/resume/remaining.h) */
};

/* Local. NULL with *failure set. `comm` and `job` are borrowed and must outlive the store. */
struct store *store_open(const struct store_setup *setup, const struct output_places *places,
                         const struct comm *comm, const struct job *job, struct failure *failure);
/* Collective: the same by all ranks. `places` counts on the master. NULL with *failure set, on
 * every rank. */
struct store *store_open_together(const struct store_setup *setup,
                                  const struct output_places *places, const struct comm *comm,
                                  const struct job *job, struct failure *failure);
/* Local. The results of a package, then their ledger bytes. */
bool store_write(struct store *store, const struct package_results *results,
                 struct failure *failure);

/* The same, in a job whose results are written behind its computing (values.write_behind), one
 * package at a time: store_stage, store_begin, and store_await until it says so; then the next. The
 * next may be staged already while one is being written. What tasks emit is written when it is
 * staged: it goes to a file of this rank's own. */

/* Bytes of memory that it takes for packages of `most` core tasks: of a job that does so. */
double store_memory(const struct job *job, int64_t most);
/* Local. Makes that room. False with *failure set. */
bool store_reserve(struct store *store, int64_t most, struct failure *failure);
/* Local. Takes the results of a package, which are free afterwards. False with *failure set: there
 * is nothing to begin with. */
bool store_stage(struct store *store, const struct package_results *results,
                 struct failure *failure);
/* Local. What has been staged is being written from here on. */
void store_begin(struct store *store);
/* Local. Is it written, or could not be (*failure is set then)? Waits for that, at most so many
 * seconds. *end_s: when it was, on the communicator's clock. */
bool store_await(struct store *store, double most_s, double *end_s, struct failure *failure);
/* Local. Of a grid that is a picture, too: read these tasks' results back and write them to
 * /normalized, scaled from the summary's least and greatest value to 0..255; what is not a number
 * becomes 0. By that many threads, the same ones in every call. Nothing otherwise. */
bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, int threads, struct failure *failure);
/* Local, to the master. What a worker that is lost may have written of packages that it has not
 * reported does not count: they are not done, and not in its state of a reduction. */
void store_disown(struct store *store, int rank, const struct package *packages, int64_t count);
/* The same of states alone, where others may be doing these packages by now: what the ledger has of
 * them stays. */
void store_disown_states(struct store *store, int rank, const struct package *packages,
                         int64_t count);

/* What the ranks of a group have of a reduction together, `sum`, lies in memory as in the file, in
 * so many bytes. */
size_t store_group_size(const struct job *job);
/* That package, of which this is the state, is in it, too. */
void store_group_add(const struct job *job, char *sum, const struct package *package,
                     const void *state);

/* Local. *sum is what the run that is gone on with has left them; of another run nothing. False:
 * out of memory, or it cannot be read. */
bool store_group_read(struct store *store, const int *ranks, int count, char *sum);
/* Local, to a master above a group that is lost. That is all that counts of what they have, at the
 * place of the first of them. */
void store_group_replace(struct store *store, const int *ranks, int count, char *sum);
/* Local, when nobody else writes any more. Nothing counts: no core task is done. */
bool store_forget(struct store *store, struct failure *failure);
/* Local. What has been written is to be seen from everywhere, and to outlive this node. */
bool store_flush(struct store *store, struct failure *failure);
/* Local. This rank writes and reads nothing any more: files are closed, which may be the time when
 * a full disk shows. NULL: it never did. */
bool store_end(struct store *store, struct failure *failure);
/* By all ranks that are left, ended or not. Sets *store NULL. */
bool store_close(struct store **store, struct failure *failure);

#endif
