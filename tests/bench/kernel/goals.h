/* What the benchmark is to show, in the order in which it is listed at the end. */
#ifndef TESTS_BENCH_KERNEL_GOALS_H
#define TESTS_BENCH_KERNEL_GOALS_H

#include <stdbool.h>
#include <stdio.h>

enum { GOALS_MOST = 64 };

struct goal {
    char what[80];
    double measured; /* NAN: was not, for this run leaves the size out or the other is missing */
    double wanted;
    bool at_most; /* otherwise at least */
};

struct goals {
    int count;
    struct goal of[GOALS_MOST];
};

/* `what` is in printf's manner. */
__attribute__((format(printf, 4, 5))) void goals_at_least(struct goals *goals, double measured,
                                                          double wanted, const char *what, ...);
__attribute__((format(printf, 4, 5))) void goals_at_most(struct goals *goals, double measured,
                                                         double wanted, const char *what, ...);
void goals_print(const struct goals *goals);
/* An array of {what, measured (or null), wanted, sense, met (or null)}. */
void goals_json(const struct goals *goals, FILE *file);

#endif
