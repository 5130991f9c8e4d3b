/* The command `scow calibrate`, as a program's main. */
#ifndef CALIBRATE_COMMAND_H
#define CALIBRATE_COMMAND_H

/* Collective: starts and ends MPI. Returns the exit code. */
int calibrate_main(int argc, char **argv);

#endif
