# The schedulers of the planner: one file each, and the mathematics that they share.
target_sources(scow-planner PRIVATE
    contest.c
    discretise.c
    last_round.c
    level.c
    lineup.c
    period.c
    rehearse.c
    scheduler.c
    scow.c
    scow_mp.c
    scow_pwu.c
    static_split.c)
