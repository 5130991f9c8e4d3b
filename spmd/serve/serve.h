/* scow serve: a run's master by itself, whose workers join while it goes on. */
#ifndef SPMD_SERVE_SERVE_H
#define SPMD_SERVE_SERVE_H

/* The exit code. */
int serve_main(int argc, char **argv);

#endif
