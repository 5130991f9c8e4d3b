# The schedulers: what they share, three families, linear programming, and the table above them.
scow_room(scow-bounds
    SOURCES
        schedulers/bounds/bound.c
        schedulers/bounds/bound_lines.c
        schedulers/bounds/bound_models.c
        schedulers/bounds/bound_priced.c
        schedulers/bounds/bound_unequal.c
    ON scow-model)
scow_room(scow-search
    SOURCES
        schedulers/search/cover.c
        schedulers/search/cut.c
        schedulers/search/cut_improve.c
        schedulers/search/discretise.c
        schedulers/search/fewer.c
        schedulers/search/level.c
        schedulers/search/local_search.c
        schedulers/search/period.c
        schedulers/search/pieces.c
        schedulers/search/ranking.c
        schedulers/search/ready.c
        schedulers/search/schedule.c
        schedulers/search/search.c
    ON scow-bounds scow-simulate)
scow_room(scow-scow
    SOURCES
        schedulers/scow/last_round.c
        schedulers/scow/pairs.c
        schedulers/scow/periodic.c
        schedulers/scow/scow.c
        schedulers/scow/scow_exact.c
        schedulers/scow/scow_mp.c
        schedulers/scow/scow_mu.c
        schedulers/scow/scow_pwu.c
        schedulers/scow/steady.c
        schedulers/scow/utilization.c
    ON scow-search)
scow_room(scow-rounds
    SOURCES
        schedulers/rounds/multi_installment.c
        schedulers/rounds/multi_round.c
        schedulers/rounds/ramp_down.c
        schedulers/rounds/single_round.c
        schedulers/rounds/apples.c
        schedulers/rounds/one_package.c
        schedulers/rounds/static_split.c
        schedulers/rounds/umr.c
        schedulers/rounds/umr2.c
        schedulers/rounds/umr_scow.c
    ON scow-scow)
scow_room(scow-optimal
    SOURCES
        schedulers/optimal/groups.c
        schedulers/optimal/optimal.c
        schedulers/optimal/optimal_priced.c
    ON scow-search)
scow_room(scow-schedulers
    SOURCES
        schedulers/scheduler.c
    ON scow-rounds scow-optimal)

# COIN-OR Clp (EPL-2.0, weak copyleft). Without it everything but `optimal` works.
if(TARGET external::clp)
    target_sources(scow-optimal PRIVATE schedulers/optimal/clp.c schedulers/optimal/optimal_lp.c)
    external_use(scow-optimal clp Clp schedulers/optimal/clp.c SCOW_CLP_LIBRARY)
else()
    message(STATUS "no Clp (Debian coinor-libclp-dev, Fedora coin-or-Clp-devel, Homebrew clp): "
        "`optimal` will not apply")
    target_sources(scow-optimal PRIVATE schedulers/optimal/optimal_lp_none.c)
endif()
