#include "planner/report/members.h"

#include <inttypes.h>

enum { TOLD_MOST = 8 };

static void member_add(const struct run_member *member, bool first, struct text *text)
{
    text_add(text, "%-12sworker %" PRId64, first ? "joined" : "", member->worker + 1);
    if (member->host[0])
        text_add(text, " (%s)", member->host);
    text_add(text, " after ");
    text_add_seconds(text, member->joined_s);
    text_add(text, ": %" PRId64 " core task%s in %" PRId64 " package%s", member->tasks,
             member->tasks == 1 ? "" : "s", member->packages, member->packages == 1 ? "" : "s");
    if (member->why[0]) {
        text_add(text, "; %s after ", member->lost ? "lost" : "left");
        text_add_seconds(text, member->gone_s);
        text_add(text, ", %s", member->why);
    }
    text_add(text, "\n");
}

static void others_add(const struct run_member *members, int64_t count, struct text *text)
{
    int64_t tasks = 0, left = 0, lost = 0;
    for (int64_t k = 0; k < count; k++) {
        tasks += members[k].tasks;
        left += members[k].why[0] && !members[k].lost;
        lost += members[k].lost;
    }
    text_add(text, "%-12sand %" PRId64 " more, which did %" PRId64 " core tasks", "", count, tasks);
    if (left > 0)
        text_add(text, "; %" PRId64 " of them left", left);
    if (lost > 0)
        text_add(text, "; %" PRId64 " of them %s lost", lost, lost == 1 ? "was" : "were");
    text_add(text, "\n");
}

void members_text(const struct run_record *record, struct text *text)
{
    const int64_t count = record->member_count;
    const int64_t told = count > TOLD_MOST + 1 ? TOLD_MOST : count;
    for (int64_t k = 0; k < told; k++)
        member_add(&record->members[k], k == 0, text);
    if (told < count)
        others_add(record->members + told, count - told, text);
}
