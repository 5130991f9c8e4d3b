# The schedulers of the planner: one file each, and the mathematics that they share.
target_sources(scow-planner PRIVATE
    contest.c
    cover.c
    discretise.c
    last_round.c
    level.c
    lineup.c
    multi_installment.c
    multi_round.c
    optimal.c
    period.c
    periodic.c
    polish.c
    ramp_down.c
    rehearse.c
    scheduler.c
    scow.c
    scow_exact.c
    scow_mp.c
    scow_pwu.c
    single_round.c
    static_split.c
    steady.c
    umr.c
    umr2.c
    umr_scow.c)

# COIN-OR Clp (EPL-2.0, weak copyleft). Without it everything but `optimal` works.
pkg_check_modules(CLP IMPORTED_TARGET clp)
if(CLP_FOUND)
    target_sources(scow-planner PRIVATE optimal_lp.c)
    target_link_libraries(scow-planner PRIVATE PkgConfig::CLP)
else()
    message(STATUS "no Clp (coinor-libclp-dev): `optimal` will not apply")
    target_sources(scow-planner PRIVATE optimal_lp_none.c)
endif()
