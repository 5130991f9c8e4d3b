/* A whole program of scow's: the built-in commands, and the way to those that are parallel. */
#ifndef PLANNER_COMMAND_PROGRAM_H
#define PLANNER_COMMAND_PROGRAM_H

/* The parallel commands where they are part of the program itself; each a main of its own. */
struct program_parallel {
    int (*calibrate)(int argc, char **argv);
    int (*go)(int argc, char **argv);
    int (*run)(int argc, char **argv);
};

/* Do what the command line says; returns the exit code. `parallel` NULL: they are
 * programs of their own, scow-calibrate, scow-go and scow-run, beside this one or on the PATH. */
int program_main(int argc, char **argv, const struct program_parallel *parallel);

#endif
