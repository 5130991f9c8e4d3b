# The schedulers of the planner: one file each, and the mathematics that they share.
target_sources(scow-planner PRIVATE
    schedulers/cover.c
    schedulers/discretise.c
    schedulers/fewer.c
    schedulers/groups.c
    schedulers/last_round.c
    schedulers/level.c
    schedulers/local_search.c
    schedulers/multi_installment.c
    schedulers/multi_round.c
    schedulers/optimal.c
    schedulers/optimal_priced.c
    schedulers/period.c
    schedulers/periodic.c
    schedulers/ramp_down.c
    schedulers/ranking.c
    schedulers/ready.c
    schedulers/replan.c
    schedulers/replan_platform.c
    schedulers/scheduler.c
    schedulers/scow.c
    schedulers/scow_exact.c
    schedulers/scow_mp.c
    schedulers/scow_pwu.c
    schedulers/search.c
    schedulers/single_round.c
    schedulers/static_split.c
    schedulers/steady.c
    schedulers/umr.c
    schedulers/umr2.c
    schedulers/umr_scow.c
    schedulers/useful.c)

# COIN-OR Clp (EPL-2.0, weak copyleft). Without it everything but `optimal` works.
if(TARGET external::clp)
    target_sources(scow-planner PRIVATE schedulers/clp.c schedulers/optimal_lp.c)
    # A shared library is loaded by its soname when it is needed (schedulers/clp.h); another one is linked.
    find_library(SCOW_CLP_FILE Clp)
    mark_as_advanced(SCOW_CLP_FILE)
    if(SCOW_CLP_FILE AND CMAKE_OBJDUMP)
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${SCOW_CLP_FILE} OUTPUT_VARIABLE sections ERROR_QUIET)
    endif()
    if(sections MATCHES "SONAME +([^ \n]+)")
        set_source_files_properties(schedulers/clp.c PROPERTIES COMPILE_DEFINITIONS SCOW_CLP_LIBRARY="${CMAKE_MATCH_1}")
        set_property(GLOBAL PROPERTY scow_clp_loaded ${CMAKE_MATCH_1})
        target_include_directories(scow-planner SYSTEM PRIVATE
            $<TARGET_PROPERTY:external::clp,INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(scow-planner PRIVATE ${CMAKE_DL_LIBS})
    else()
        target_link_libraries(scow-planner PRIVATE external::clp)
    endif()
else()
    message(STATUS "no Clp (Debian coinor-libclp-dev, Fedora coin-or-Clp-devel, Homebrew clp): "
        "`optimal` will not apply")
    target_sources(scow-planner PRIVATE schedulers/optimal_lp_none.c)
endif()
