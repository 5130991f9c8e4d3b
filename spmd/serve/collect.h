/* scow collect: the results of a job in chunks, from their files into one output. */
#ifndef SPMD_SERVE_COLLECT_H
#define SPMD_SERVE_COLLECT_H

/* The exit code. */
int collect_main(int argc, char **argv);

#endif
