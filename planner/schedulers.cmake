# The schedulers of the planner: one file each, and the mathematics that they share.
target_sources(scow-planner PRIVATE
    contest.c
    discretise.c
    last_round.c
    level.c
    lineup.c
    optimal.c
    period.c
    polish.c
    rehearse.c
    scheduler.c
    scow.c
    scow_mp.c
    scow_pwu.c
    static_split.c)

# COIN-OR Clp (EPL-2.0, weak copyleft). Without it everything but `optimal` works.
pkg_check_modules(CLP IMPORTED_TARGET clp)
if(CLP_FOUND)
    target_sources(scow-planner PRIVATE optimal_lp.c)
    target_link_libraries(scow-planner PRIVATE PkgConfig::CLP)
else()
    message(STATUS "no Clp (coinor-libclp-dev): `optimal` will not apply")
    target_sources(scow-planner PRIVATE optimal_lp_none.c)
endif()
