#include "planner/studies/planning.h"

void planning_omit(const struct planning *planning, const char *what, enum schedule_omission why)
{
    struct schedule_omissions *omissions = planning->omissions;
    if (!omissions || omissions->count == SCHEDULERS_MOST)
        return;
    omissions->items[omissions->count].scheduler = what;
    omissions->items[omissions->count++].why = why;
}

void planning_omissions(const struct schedule_omissions *omissions, double effort_s,
                        struct text *text)
{
    static const struct {
        enum schedule_omission why;
        const char *what;
        bool effort;
    } lines[] = {{SCHEDULE_CUT_SHORT, "cut short   ", true},
                 {SCHEDULE_NO_EFFORT, "left out    ", true},
                 {SCHEDULE_NO_GAIN, "left out    ", false}};
    for (size_t line = 0; line < sizeof lines / sizeof *lines; line++) {
        const char *before = lines[line].what;
        for (size_t k = 0; k < omissions->count; k++) {
            if (omissions->items[k].why != lines[line].why)
                continue;
            text_add(text, "%s%s", before, omissions->items[k].scheduler);
            before = ", ";
        }
        if (before == lines[line].what)
            continue;
        if (lines[line].effort)
            text_add(text, ": the effort of %.3g s was used up, --effort allows more\n", effort_s);
        else
            text_add(text, ": no plan can be better than this one by more than 0.001 %%\n");
    }
}
