/* Every malformed profile and plan gives exactly one sentence, and no memory is lost. */
#include <stdio.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/model/plan.h"
#include "planner/model/profile.h"
#include "tests/checks.h"

/* What is replaced in the correct text, by what, and the sentence that follows. */
struct malformed {
    const char *old, *new, *sentence;
};

static const char good_profile[] =
    "{ \"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"parameters\": {\"bank\": \"x\"},\n"
    "  \"settings\": [\n"
    "    { \"block\": 64, \"windows\": [\n"
    "        { \"tasks\": [1, 450],\n"
    "          \"envelope\": {\"latency_s\": 1, \"s_per_task\": 2},\n"
    "          \"send\": {\"latency_s\": 3, \"s_per_task\": 4},\n"
    "          \"workers\": [ { \"name\": \"n01\", \"count\": 2,\n"
    "              \"receive\": {\"latency_s\": 5, \"s_per_task\": 6},\n"
    "              \"compute\": {\"latency_s\": 7, \"s_per_task\": 8} } ] } ] } ] }";

static const struct malformed profiles[] = {
    {"\"schema\": \"scow-profile-1\", ", "",
     "p.json: has no \"schema\": it must be \"scow-profile-1\""},
    {"scow-profile-1", "scow-profile-2",
     "p.json: has schema \"scow-profile-2\", but \"scow-profile-1\" is needed: check that it is "
     "the "
     "right file, of this version"},
    {"\"settings\"", "\"setings\"", "p.json: unknown key 'setings': did you mean 'settings'?"},
    {"\"block\"", "\"colour\"", "p.json: settings[0]: unknown key 'colour': remove it"},
    {"\"kernel\": \"sleep\", ", "", "p.json: the key 'kernel' is missing: add it"},
    {"\"sleep\"", "7", "p.json: kernel: must be a string, not 7"},
    {"{\"bank\": \"x\"}", "{\"results\": \"all\"}",
     "p.json: parameters.results: must be \"none\", \"package\" or \"end\""},
    {"\"block\": 64", "\"model\": \"many-port\"",
     "p.json: settings[0].model: is no operating model: 'scow plan --help' lists their names"},
    {"{\"bank\": \"x\"}", "{\"results\": 1}",
     "p.json: parameters.results: must be \"none\", \"package\" or \"end\""},
    {"\"receive\"",
     "\"result\": {\"latency_s\": 1, \"s_per_task\": 0}, "
     "\"output\": {\"latency_s\": 1, \"s_per_task\": 0}, \"receive\"",
     "p.json: settings[0]: results are either written or returned, but workers have a cost "
     "\"output\": remove it, or give \"results\": \"none\""},
    {"{\"bank\": \"x\"}", "{\"results\": \"end\", \"write-behind\": \"yes\"}",
     "p.json: settings[0]: results are either written or returned, but \"write-behind\" is "
     "\"yes\": remove it, or give \"results\": \"none\""},
    {"{\"bank\": \"x\"}", "[]", "p.json: parameters: must be an object {...}, not []"},
    {"\"x\"", "null", "p.json: parameters.bank: must be a number or a string, not null"},
    {"\"block\": 64", "\"block\": 0",
     "p.json: settings[0].block: must be a whole number from 1 to 1048576, not 0"},
    {"\"block\": 64", "\"block\": 64, \"parameters\": {\"block\": 64}",
     "p.json: settings[0].block: stands among the parameters, too: remove one"},
    {"\"block\": 64",
     "\"spread\": [{\"tasks\": 4, \"deviation\": 1}, {\"tasks\": 4, \"deviation\": 1}]",
     "p.json: settings[0].spread[1].tasks: must be a whole number from 5 to 9007199254740992, not "
     "4"},
    {"\"block\": 64", "\"memory\": {\"bytes\": 1}",
     "p.json: settings[0].memory: the key 'bytes_per_task' is missing: add it"},
    {"\"kernel\"", "\"plugin_sha256\": \"ab\", \"kernel\"",
     "p.json: plugin_sha256: must be 64 hexadecimal digits in lower case"},
    {"\"block\": 64", "\"block\": 64, \"method\": 7",
     "p.json: settings[0].method: must be a string, not 7"},
    {"\"block\": 64", "\"block\": 64, \"methods\": \"fft\"",
     "p.json: settings[0]: unknown key 'methods': did you mean 'method'?"},
    {"[1, 450]", "[0, 450]",
     "p.json: settings[0].windows[0].tasks[0]: must be a whole number from 1 to 9007199254740992, "
     "not 0"},
    {"[1, 450]", "[5, 4]",
     "p.json: settings[0].windows[0].tasks[1]: must be a whole number from 5 to 9007199254740992, "
     "not 4"},
    {"[1, 450]", "[1, 2, 3]", "p.json: settings[0].windows[0].tasks: must be [least, greatest]"},
    {"[1, 450]", "[1]", "p.json: settings[0].windows[0].tasks: must have at least 2 elements"},
    {"[1, 450]", "[1, 4.5]",
     "p.json: settings[0].windows[0].tasks[1]: must be a whole number from 1 to 9007199254740992, "
     "not 4.5"},
    {"\"latency_s\": 1,", "\"latency_s\": 1e300,",
     "p.json: settings[0].windows[0].envelope.latency_s: must be a number from -1000000000 to "
     "1000000000, not "
     "1e300"},
    {"\"latency_s\": 1,", "\"latency_s\": NaN,",
     "p.json: line 5, column 39: invalid token near 'NaN'; it is damaged or not JSON: write it "
     "again"},
    {"\"latency_s\": 1,", "\"latency_s\": 1e999,",
     "p.json: line 5, column 41: real number overflow near '1e999'; it is damaged or not JSON: "
     "write it again"},
    {"\"latency_s\": 1,", "\"latency_s\": \"1\",",
     "p.json: settings[0].windows[0].envelope.latency_s: must be a number from -1000000000 to "
     "1000000000, not "
     "\"1\""},
    {"\"latency_s\": 1,", "\"latencys\": 1,",
     "p.json: settings[0].windows[0].envelope: unknown key 'latencys': did you mean 'latency_s'?"},
    {"\"latency_s\": 3,", "\"latency_s\": 3, \"latency_s\": 3,",
     "p.json: line 6, column 46: duplicate object key near '\"latency_s\"'; it is damaged or not "
     "JSON: write it again"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"r2\": 2}",
     "p.json: settings[0].windows[0].workers[0].compute.r2: must be a number from -1000000000 to "
     "1, "
     "not 2"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"corelation\": 0}",
     "p.json: settings[0].windows[0].workers[0].compute: unknown key 'corelation': did you mean "
     "'correlation'?"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"correlation\": -1.5}",
     "p.json: settings[0].windows[0].workers[0].compute.correlation: must be a number from -1 to "
     "1, not -1.5"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"stderr_latency_s\": -1}",
     "p.json: settings[0].windows[0].workers[0].compute.stderr_latency_s: must be a number from 0 "
     "to 1000000000, not -1"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"drift\": \"x\"}",
     "p.json: settings[0].windows[0].workers[0].compute.drift: must be a number from 0 to 1000000, "
     "not \"x\""},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8, \"deviation\": -0.1}",
     "p.json: settings[0].windows[0].workers[0].compute.deviation: must be a number from 0 to "
     "1000000, not -0.1"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8}, \"start\": {\"latency_s\": -1}",
     "p.json: settings[0].windows[0].workers[0].start.latency_s: must be a number from 0 to "
     "1000000000, not -1"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8}, \"start\": {\"latency_s\": 1, \"s_per_task\": 1}",
     "p.json: settings[0].windows[0].workers[0].start: unknown key 's_per_task': remove it"},
    {"\"s_per_task\": 8}", "\"s_per_task\": 8}, \"strat\": {\"latency_s\": 1}",
     "p.json: settings[0].windows[0].workers[0]: unknown key 'strat': did you mean 'start'?"},
    {" } ] } ] } ] }",
     " } ] }, { \"tasks\": [451, 500], "
     "\"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
     "\"s_per_task\": 0}, \"workers\": [ { \"count\": 1, \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}}, "
     "{ \"count\": 1, \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}, "
     "\"start\": {\"latency_s\": 2.5}} ] } ] } ] }",
     "p.json: settings[0].windows[1].workers[1]: starts for 2.5 s, but for 0 s in the window "
     "before "
     "it: a worker starts once, so give it the same start in all of them"},
    {"\"block\": 64", "\"block\": 64, \"threads\": 0",
     "p.json: settings[0].threads: must be a whole number from 1 to 16384, not 0"},
    {"\"block\": 64", "\"block\": 64, \"score\": {\"held_out\": 0.1}",
     "p.json: settings[0].score: the key 'noise' is missing: add it"},
    {"\"block\": 64", "\"block\": 64, \"extrapolated\": {\"budget_s\": 60}",
     "p.json: settings[0].extrapolated: the key 'above' is missing: add it"},
    {"\"block\": 64", "\"block\": 64, \"score\": {\"held_uot\": 0.1, \"noise\": 0}",
     "p.json: settings[0].score: unknown key 'held_uot': did you mean 'held_out'?"},
    {"\"kernel\"", "\"history\": [0.1, -1.5], \"kernel\"",
     "p.json: history[1]: must be a number from -1 to 1000000, not -1.5"},
    {"\"kernel\"",
     "\"history\": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "
     "\"kernel\"",
     "p.json: history: has 33 runs, but at most the latest 32 are kept: remove the first"},
    {"\"s_per_task\": 8}", "\"s_per_tsak\": 8}",
     "p.json: settings[0].windows[0].workers[0].compute: unknown key 's_per_tsak': did you mean "
     "'s_per_task'?"},
    {"\"count\": 2", "\"count\": 99999999",
     "p.json: settings[0].windows[0].workers[0].count: must be a whole number from 1 to 10000000, "
     "not 99999999"},
    {"6},\n              \"compute\": {\"latency_s\": 7, \"s_per_task\": 8}",
     "0},\n              \"compute\": {\"latency_s\": 7, \"s_per_task\": 0}",
     "p.json: settings[0].windows[0].workers[0]: receive and compute take no time per task: give "
     "one of them a positive s_per_task"},
    {"{ \"name\": \"n01\"", "3, { \"name\": \"n01\"",
     "p.json: settings[0].windows[0].workers[0]: must be an object {...}, not 3"},
    {"\"windows\": [", "\"windows\": 5, \"block\": [",
     "p.json: line 3, column 40: duplicate object key near '\"block\"'; it is damaged or not JSON: "
     "write it again"},
    {" } ] } ] } ] }",
     " } ] } ] }, { \"block\": 64, \"windows\": [ { \"tasks\": [1, 2], "
     "\"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
     "\"s_per_task\": 0}, \"workers\": [ { \"count\": 2, \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}} ] } ] } ] }",
     "p.json: settings[1]: has the same parameters as an earlier setting: give each its own"},
    {" } ] } ] } ] }",
     " } ] }, { \"tasks\": [400, 500], "
     "\"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
     "\"s_per_task\": 0}, \"workers\": [ { \"count\": 2, \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}} ] } ] } ] }",
     "p.json: settings[0].windows[1]: begins at 400 tasks, but the window before it ends at 450: "
     "windows must ascend and not overlap"},
    {" } ] } ] } ] }",
     " } ] }, { \"tasks\": [451, 500], "
     "\"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
     "\"s_per_task\": 0}, \"workers\": [ { \"count\": 3, \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}} ] } ] } ] }",
     "p.json: settings[0].windows[1]: has 3 workers, but the window before it has 2: all must list "
     "the same workers"},
    {" } ] } ] } ] }",
     " } ] } ] }, { \"block\": 32, \"windows\": [ { \"tasks\": [1, 2], "
     "\"envelope\": {\"latency_s\": 0, \"s_per_task\": 0}, \"send\": {\"latency_s\": 0, "
     "\"s_per_task\": 0}, \"workers\": [ { \"receive\": {\"latency_s\": 0, "
     "\"s_per_task\": 1}, \"compute\": {\"latency_s\": 0, \"s_per_task\": 1}} ] } ] } ] }",
     "p.json: settings[1]: has 1 workers, but the first setting has 2: all must list the same "
     "workers"},
};

/* These can be read, but no plan can be made with them: a package would take no time, or less. */
static const struct malformed exclusions[] = {
    {"\"receive\"", "\"result\": {\"latency_s\": -1, \"s_per_task\": 0}, \"receive\"",
     "p.json: settings[0].windows[0].workers[0].result: takes -1 s for a package of 1, the least "
     "of "
     "the window [1, 450], and no package takes 0 s or less: raise latency_s, or let the window "
     "begin later"},
    {"\"latency_s\": 1,", "\"latency_s\": -2,",
     "p.json: settings[0].windows[0].envelope: takes 0 s for a package of 1, the least of the "
     "window [1, 450], and no package takes 0 s or less: raise latency_s, or let the window begin "
     "later"},
    {"\"latency_s\": 7,", "\"latency_s\": -8.5,",
     "p.json: settings[0].windows[0].workers[0].compute: takes -0.5 s for a package of 1, the "
     "least of the window [1, 450], and no package takes 0 s or less: raise latency_s, or let the "
     "window begin later"},
    {"[1, 450],\n          \"envelope\": {\"latency_s\": 1, \"s_per_task\": 2}",
     "[500, 2500],\n          \"envelope\": {\"latency_s\": -1000, \"s_per_task\": 2}",
     "p.json: settings[0].windows[0].envelope: takes 0 s for a package of 500, the least of the "
     "window [500, 2500], and no package takes 0 s or less: raise latency_s, or let the window "
     "begin later"},
    {"\"latency_s\": 3, \"s_per_task\": 4", "\"latency_s\": -1, \"s_per_task\": 0",
     "p.json: settings[0].windows[0].send: takes -1 s for a package of 1, the least of the window "
     "[1, 450], and no package takes 0 s or less: raise latency_s, or let the window begin later"},
};

static const char good_plan[] =
    "{ \"schema\": \"scow-plan-1\", \"kernel\": \"sleep\", \"scheduler\": \"hand\", \"tasks\": "
    "13,\n"
    "  \"block\": 64, \"workers\": [0, 2],\n"
    "  \"rounds\": [ {\"repeat\": 2, \"loads\": [4, 2]}, {\"repeat\": 1, \"loads\": [1, 0]} ],\n"
    "  \"predicted\": {\"makespan_s\": 1, \"gap\": 0.5} }";

/* Workers and rounds of the plan, in whose place stars stand. */
#define OWN_PARTS                                                                                  \
    "\"workers\": [0, 2],\n"                                                                       \
    "  \"rounds\": [ {\"repeat\": 2, \"loads\": [4, 2]}, {\"repeat\": 1, \"loads\": [1, 0]} ]"

static const struct malformed plans[] = {
    {"scow-plan-1", "scow-plan-9",
     "plan.json: has schema \"scow-plan-9\", but \"scow-plan-1\" is needed: check that it is the "
     "right file, of this version"},
    {"\"scheduler\"", "\"schduler\"",
     "plan.json: unknown key 'schduler': did you mean 'scheduler'?"},
    {"\"tasks\": 13", "\"tasks\": 0",
     "plan.json: tasks: must be a whole number from 1 to 9007199254740992, not 0"},
    {"\"tasks\": 13", "\"tasks\": -13",
     "plan.json: tasks: must be a whole number from 1 to 9007199254740992, not -13"},
    {"\"tasks\": 13", "\"tasks\": 99999999999999999999",
     "plan.json: line 1, column 96: too big integer near '99999999999999999999'; it is damaged or "
     "not JSON: write it again"},
    {"\"tasks\": 13", "\"tasks\": 14",
     "plan.json: rounds: the loads sum to 13 tasks, but the plan is for 14: make the plan again"},
    {"[0, 2]", "[]", "plan.json: workers: must have at least 1 element"},
    {"[0, 2]", "[0, 0]", "plan.json: workers: lists 0 twice: list each once"},
    {"[0, 2]", "[0, -2]",
     "plan.json: workers[1]: must be a whole number from 0 to 9999999, not -2"},
    {"[0, 2]", "[0, [3]]", "plan.json: workers[1]: must be an index or [first, last]"},
    {"[0, 2]", "[0, [3, 2]]",
     "plan.json: workers[1]: must be a whole number from 3 to 9999999, not 2"},
    {"[4, 2]", "[4]", "plan.json: rounds[0].loads: must have one load for each of the 2 workers"},
    {"[4, 2]", "[4, 2, 0]",
     "plan.json: rounds[0].loads: must have one load for each of the 2 workers"},
    {"[4, 2]", "[[4, 9]]",
     "plan.json: rounds[0].loads: must have one load for each of the 2 workers"},
    {"[4, 2]", "[[4], 2]", "plan.json: rounds[0].loads[0]: must be a load or [load, count]"},
    {"[4, 2]", "[4.5, 1.5]",
     "plan.json: rounds[0].loads[0]: must be a whole number from 0 to 9007199254740992, not 4.5"},
    {"[4, 2]", "[4, -2]",
     "plan.json: rounds[0].loads[1]: must be a whole number from 0 to 9007199254740992, not -2"},
    {"[1, 0]", "[0, 0]", "plan.json: rounds[1]: hands out no task: remove the round"},
    {"\"repeat\": 2", "\"repeat\": 0",
     "plan.json: rounds[0].repeat: must be a whole number from 1 to 9007199254740992, not 0"},
    {"\"repeat\": 2, ", "", "plan.json: rounds[0]: the key 'repeat' is missing: add it"},
    {"\"makespan_s\": 1", "\"makespan_s\": -1",
     "plan.json: predicted.makespan_s: must be a number from 0 to 1e+15, not -1"},
    {"\"makespan_s\": 1, ", "", "plan.json: predicted: the key 'makespan_s' is missing: add it"},
    {"\"gap\"", "\"gpa\"", "plan.json: predicted: unknown key 'gpa': did you mean 'gap'?"},
    {"\"gap\": 0.5", "\"interval\": [2, 1]",
     "plan.json: predicted.interval[1]: must be a number from 2 to 1e+15, not 1"},
    {"\"gap\": 0.5", "\"interval\": [2, 3, 4]",
     "plan.json: predicted.interval: must be [least, greatest] seconds"},
    {"\"block\": 64,", "\"levels\": [{\"tasks\": 12}],",
     "plan.json: levels[0]: is the first level, with 12 core tasks, but the plan is for 13: make "
     "the plan again"},
    {"\"block\": 64,", "\"levels\": [{\"tasks\": 13}, {\"tasks\": 0}],",
     "plan.json: levels[1].tasks: must be a whole number from 1 to 9007199254740992, not 0"},
    {"\"block\": 64", "\"others\": [{\"block\": 64}]",
     "plan.json: others[0]: the key 'makespan_s' is missing: add it"},
    {"\"block\": 64", "\"others\": [{\"makespan_s\": 1}, {\"makespan_s\": -1}]",
     "plan.json: others[1].makespan_s: must be a number from 0 to 1e+15, not -1"},
    {"\"block\": 64", "\"beyond\": {\"measured\": 2, \"workers\": 0, \"rank\": 1}",
     "plan.json: beyond.workers: must be a whole number from 1 to 9999998, not 0"},
    {"\"block\": 64", "\"beyond\": {\"measured\": 2, \"workers\": 1, \"rank\": 3}",
     "plan.json: beyond.rank: must be a whole number from 1 to 2, not 3"},
    {"\"block\": 64", "\"beyond\": {\"measured\": 2, \"workers\": 9999999, \"rank\": 1}",
     "plan.json: beyond.workers: must be a whole number from 1 to 9999998, not 9999999"},
    {"\"block\": 64", "\"beyond\": {\"workers\": 1, \"rank\": 1}",
     "plan.json: beyond: the key 'measured' is missing: add it"},
    {"\"block\": 64", "\"thread\": 4", "plan.json: unknown key 'thread': did you mean 'threads'?"},
    {"\"block\": 64", "\"block\": 64, \"profile_sha256\": \"abc\"",
     "plan.json: profile_sha256: must be 64 hexadecimal digits in lower case"},
    {"\"block\": 64", "\"block\": 64, \"real_valued\": 1",
     "plan.json: real_valued: must be true or false, not 1"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}]}]",
     "plan.json: children: must be one for each of the 2 workers"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}]}, {\"scheduler\": \"hand\", \"tasks\": 5, \"workers\": "
     "[3], \"rounds\": [{\"repeat\": 1, \"loads\": [5]}]}]",
     "plan.json: children[1]: is for 5 core tasks, but gets 4: make the plan again"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}]}, {\"scheduler\": \"hand\", \"tasks\": 4, \"workers\": "
     "[3], \"rounds\": [{\"repeat\": 1, \"loads\": [3]}]}]",
     "plan.json: children[1].rounds: the loads sum to 3 tasks, but the plan is for 4: make the "
     "plan again"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}]}, {\"scheduler\": \"hand\", \"tasks\": 4, \"workers\": "
     "[2], \"rounds\": [{\"repeat\": 1, \"loads\": [4]}]}]",
     "plan.json: children: rank 3 is listed twice, as a master or a worker: list it once"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}], \"children\": [{\"scheduler\": \"hand\", \"tasks\": 8, "
     "\"workers\": [4], \"rounds\": [{\"repeat\": 1, \"loads\": [8]}]}]}, {\"scheduler\": "
     "\"hand\", \"tasks\": 4, \"workers\": [3], \"rounds\": [{\"repeat\": 1, \"loads\": [4]}]}]",
     "plan.json: children[0].children[0]: is for 8 core tasks, but gets 9: make the plan again"},
    {"\"block\": 64",
     "\"children\": [{\"scheduler\": \"hand\", \"tasks\": 9, \"workers\": [1], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [9]}]}, {\"scheduler\": \"hand\", \"tasks\": 4, \"workers\": "
     "[3], \"rounds\": [{\"repeat\": 1, \"loads\": [4]}]}]",
     "plan.json: is a tree of 2 groups with masters of their own, which is for 'scow run', 'scow "
     "show' and 'scow simulate' only: plan with --masters 1"},
    {OWN_PARTS,
     "\"stars\": [{\"scheduler\": \"hand\", \"tasks\": 7, \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"master\": 2, \"scheduler\": \"hand\", \"tasks\": 6, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}], \"children\": []",
     "plan.json: children: cannot be where there are stars: remove one of them"},
    {"\"workers\": [0, 2],", "", "plan.json: the key 'workers' is missing: add it"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 13, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [13]}]}]",
     "plan.json: stars: must have at least 2 elements"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 5, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [5]}]}]",
     "plan.json: stars: have 12 core tasks together, but the plan is for 13: make the plan again"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [1], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}]",
     "plan.json: stars: rank 2 is listed twice, as a master or a worker: list it once"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"workers\": "
     "[2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}]",
     "plan.json: stars: rank 0 is listed twice, as a master or a worker: list it once"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"master\": 5, \"workers\": [0], "
     "\"rounds\": [{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", "
     "\"master\": 2, \"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}]",
     "plan.json: stars: the first one's master must be rank 0: leave its key out"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [5]}]}]",
     "plan.json: stars[1].rounds: the loads sum to 5 tasks, but the plan is for 6: make the plan "
     "again"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 0, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}]",
     "plan.json: stars[1].master: must be a whole number from 1 to 10000000, not 0"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}], \"workers\": [0]",
     "plan.json: workers: belong to the stars: remove them here"},
    /* Rounds are read one by one, and what is no JSON in them is told like everything else. */
    {"[1, 0]} ]", "[1, 0]}, ]",
     "plan.json: line 3, column 79: unexpected token near ']'; it is damaged or not JSON: write it "
     "again"},
    {"[4, 2]}, {", "[4, 2]} {",
     "plan.json: line 3, column 46: ']' expected near '{'; it is damaged or not JSON: write it "
     "again"},
    {"[4, 2]}, {", "[4, 2}], {",
     "plan.json: line 3, column 43: ']' expected near '}'; it is damaged or not JSON: write it "
     "again"},
    {"\"repeat\": 2", "\"repeat\": 2, \"repeat\": 2",
     "plan.json: line 3, column 36: duplicate object key near '\"repeat\"'; it is damaged or not "
     "JSON: write it again"},
    {"[4, 2]", "[4, \"], ] [{\\\"\"]",
     "plan.json: rounds[0].loads[1]: must be a whole number from 0 to 9007199254740992, not \"], ] "
     "[{\\\"\""},
    {"\"gap\": 0.5", "\"gap\": 0.5, \"rounds\": []",
     "plan.json: predicted: unknown key 'rounds': remove it"},
    {"\"block\": 64", "\"parameters\": {\"rounds\": [1, 2, 3]}",
     "plan.json: parameters.rounds: must be a number or a string"},
    {"[ {\"repeat\": 2, \"loads\": [4, 2]}, {\"repeat\": 1, \"loads\": [1, 0]} ]", "[]",
     "plan.json: rounds: must have at least 1 element"},
    {"[ {\"repeat\": 2, \"loads\": [4, 2]}, {\"repeat\": 1, \"loads\": [1, 0]} ]", "{\"\": 0}",
     "plan.json: rounds: must be an array [...]"},
    {"[ {\"repeat\": 2, \"loads\": [4, 2]}, {\"repeat\": 1, \"loads\": [1, 0]} ]", "7",
     "plan.json: rounds: must be an array [...], not 7"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}], \"rounds\": [{\"repeat\": "
     "1, \"loads\": [1]}]",
     "plan.json: rounds: belong to the stars: remove them here"},
    {OWN_PARTS,
     "\"stars\": [{\"tasks\": 7, \"scheduler\": \"hand\", \"workers\": [0], \"rounds\": "
     "[{\"repeat\": 1, \"loads\": [7]}]}, {\"tasks\": 6, \"scheduler\": \"hand\", \"master\": 2, "
     "\"workers\": [2], \"rounds\": [{\"repeat\": 1, \"loads\": [6]}]}]",
     "plan.json: has 2 masters side by side, which is for 'scow run', 'scow show' and 'scow "
     "simulate' only: plan with --masters 1"},
};

/* `text` with the first `old` replaced; owned. */
static char *text_replace(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    size_t size = strlen(text) + strlen(new) + 1;
    char *replaced = malloc(size);
    if (!at || !replaced)
        fail_msg("no '%s' to replace", old);
    snprintf(replaced, size, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return replaced;
}

static void good_ones_are_taken(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    struct plan plan;
    (void)state;
    assert_true(profile_parse(&profile, good_profile, strlen(good_profile), "p.json", &failure));
    assert_true(plan_parse(&plan, good_plan, strlen(good_plan), "plan.json", &failure));
    profile_release(&profile);
    plan_release(&plan);
}

static void profile_is_refused(const struct malformed *malformed, enum failure_code code)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile = {.setting_count = 77};
    char *text = text_replace(good_profile, malformed->old, malformed->new);
    assert_false(profile_parse(&profile, text, strlen(text), "p.json", &failure));
    assert_failure(failure, code, malformed->sentence);
    assert_int_equal(profile.setting_count, 77);
    free(text);
}

static void malformed_profiles_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(profiles); k++)
        profile_is_refused(&profiles[k], FAILURE_MISMATCH);
}

static void costs_without_time_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(exclusions); k++)
        profile_is_refused(&exclusions[k], FAILURE_INFEASIBLE);
}

/* A latency may be negative, where the window begins behind what it would take 0 s for. */
static void costs_that_take_time_are_taken(void **state)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    (void)state;
    char *text = text_replace(good_profile, "[1, 450],\n          \"envelope\": {\"latency_s\": 1,",
                              "[500, 2500],\n          \"envelope\": {\"latency_s\": -999,");
    assert_true(profile_parse(&profile, text, strlen(text), "p.json", &failure));
    assert_true(profile.settings[0].windows[0].envelope.cost.latency_s == -999);
    profile_release(&profile);
    free(text);
}

static void malformed_plans_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(plans); k++) {
        struct failure failure = FAILURE_INIT;
        struct plan plan = {.worker_count = 77};
        char *text = text_replace(good_plan, plans[k].old, plans[k].new);
        assert_false(plan_parse(&plan, text, strlen(text), "plan.json", &failure));
        assert_failure(failure, FAILURE_MISMATCH, plans[k].sentence);
        assert_int_equal(plan.worker_count, 77);
        free(text);
    }
}

/* Cut anywhere, a document is refused and nothing leaks. */
static void cut_documents_are_refused(void **state)
{
    static const char damaged[] = "it is damaged or not JSON: write it again";
    (void)state;
    for (size_t length = 0; length < strlen(good_profile); length++) {
        struct failure failure = FAILURE_INIT;
        struct profile profile;
        assert_false(profile_parse(&profile, good_profile, length, "p.json", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        assert_non_null(strstr(failure.text, length == 0 ? "is empty: write it again" : damaged));
    }
    for (size_t length = 0; length < strlen(good_plan); length++) {
        struct failure failure = FAILURE_INIT;
        struct plan plan;
        assert_false(plan_parse(&plan, good_plan, length, "plan.json", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
        assert_non_null(strstr(failure.text, length == 0 ? "is empty: write it again" : damaged));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones_are_taken),
        cmocka_unit_test(malformed_profiles_are_refused),
        cmocka_unit_test(costs_without_time_are_refused),
        cmocka_unit_test(costs_that_take_time_are_taken),
        cmocka_unit_test(malformed_plans_are_refused),
        cmocka_unit_test(cut_documents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
