/* scow chunk: one chunk of a job in chunks, in a process of its own. */
#ifndef SPMD_CHUNKS_COMPUTE_H
#define SPMD_CHUNKS_COMPUTE_H

/* The exit code. */
int chunk_main(int argc, char **argv);

#endif
