/*
 * scow go: measure while working, plan what remains, run it.
 */
#ifndef CALIBRATE_GO_COMMAND_H
#define CALIBRATE_GO_COMMAND_H

/* Its main, on every rank; without ranks, it becomes their launcher. Returns the exit code. */
int go_main(int argc, char **argv);

#endif
