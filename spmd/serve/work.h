/* scow work: a worker by itself, which joins a run that a master serves. */
#ifndef SPMD_SERVE_WORK_H
#define SPMD_SERVE_WORK_H

/* The exit code. */
int work_main(int argc, char **argv);

#endif
