#include "tests/bench/kernel/goals.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 0))) static void
goals_add(struct goals *goals, const struct goal *goal, const char *what, va_list arguments)
{
    if (goals->count == GOALS_MOST)
        abort();
    struct goal *added = &goals->of[goals->count++];
    *added = *goal;
    vsnprintf(added->what, sizeof added->what, what, arguments);
}

void goals_at_least(struct goals *goals, double measured, double wanted, const char *what, ...)
{
    const struct goal goal = {.measured = measured, .wanted = wanted};
    va_list arguments;
    va_start(arguments, what);
    goals_add(goals, &goal, what, arguments);
    va_end(arguments);
}

void goals_at_most(struct goals *goals, double measured, double wanted, const char *what, ...)
{
    const struct goal goal = {.measured = measured, .wanted = wanted, .at_most = true};
    va_list arguments;
    va_start(arguments, what);
    goals_add(goals, &goal, what, arguments);
    va_end(arguments);
}

static bool goal_met(const struct goal *goal)
{
    return goal->at_most ? goal->measured <= goal->wanted : goal->measured >= goal->wanted;
}

static void goal_print(const struct goal *goal)
{
    const char *sense = goal->at_most ? "at most" : "at least";
    if (isnan(goal->measured))
        printf("  %-64s %9s  %-8s %6.2f  not measured\n", goal->what, "-", sense, goal->wanted);
    else
        printf("  %-64s %9.3f  %-8s %6.2f  %s\n", goal->what, goal->measured, sense, goal->wanted,
               goal_met(goal) ? "met" : "short");
}

void goals_print(const struct goals *goals)
{
    int met = 0, measured = 0;
    printf("\ngoals, by the least time of each\n  %-64s %9s  %15s\n", "", "measured", "wanted");
    for (int i = 0; i < goals->count; i++) {
        goal_print(&goals->of[i]);
        met += goal_met(&goals->of[i]);
        measured += !isnan(goals->of[i].measured);
    }
    printf("%d of %d measured goals met, %d not measured\n", met, measured,
           goals->count - measured);
}

static void goal_json(const struct goal *goal, FILE *file)
{
    fprintf(file, "    {\"what\": \"%s\", \"measured\": ", goal->what);
    if (isnan(goal->measured))
        fprintf(file, "null, \"met\": null");
    else
        fprintf(file, "%.6g, \"met\": %s", goal->measured, goal_met(goal) ? "true" : "false");
    fprintf(file, ", \"wanted\": %.6g, \"sense\": \"%s\"}", goal->wanted,
            goal->at_most ? "at most" : "at least");
}

void goals_json(const struct goals *goals, FILE *file)
{
    fprintf(file, "[\n");
    for (int i = 0; i < goals->count; i++) {
        goal_json(&goals->of[i], file);
        fprintf(file, "%s\n", i + 1 < goals->count ? "," : "");
    }
    fprintf(file, "  ]");
}
