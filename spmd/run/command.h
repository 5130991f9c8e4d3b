/* The command `scow run`, as a program's main. */
#ifndef SPMD_RUN_COMMAND_H
#define SPMD_RUN_COMMAND_H

/* Collective: starts and ends MPI. Returns the exit code. */
int run_main(int argc, char **argv);

#endif
