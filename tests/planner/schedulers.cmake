add_library(planner-platforms STATIC platforms.c)
target_link_libraries(planner-platforms PRIVATE scow-house PUBLIC scow-planner)

scow_add_test(planner-schedulers-golden unit schedulers_golden.c planner-platforms)
scow_add_test(planner-schedulers-properties prop schedulers_properties.c planner-platforms)
scow_add_test(planner-schedulers-parts prop schedulers_parts.c planner-platforms)
scow_add_test(planner-schedulers-programs prop schedulers_programs.c planner-platforms)
scow_add_test(planner-schedulers-tiny prop schedulers_tiny.c planner-platforms)
scow_add_test(planner-schedulers-mixed unit schedulers_mixed.c planner-platforms)
scow_add_test(planner-schedulers-counts prop schedulers_counts.c planner-platforms)
scow_add_test(planner-watch prop watch.c planner-platforms)
scow_add_test(planner-tail prop tail.c planner-platforms)
scow_add_test(planner-schedulers-windows unit schedulers_windows.c planner-platforms)

# Not a test: prints how fast planning is and how good the plans are.
add_executable(bench-planner ${PROJECT_SOURCE_DIR}/tests/bench/planner/bench_planner.c)
target_link_libraries(bench-planner PRIVATE planner-platforms scow-house m)
add_executable(bench-buffers ${PROJECT_SOURCE_DIR}/tests/bench/planner/bench_buffers.c)
target_link_libraries(bench-buffers PRIVATE planner-platforms scow-house m)
