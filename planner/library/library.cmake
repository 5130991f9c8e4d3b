# libscow-plan: planning for programs in C, and by ctypes in Python (jobs/python), without MPI. The
# same objects are in the command, which is their first user.
include(CMakePackageConfigHelpers)

add_library(scow-plan-entries OBJECT
    library/entry.c
    library/expected_levels.c
    library/handle_plan.c
    library/handle_profile.c
    library/handle_simulation.c
    library/planned.c
    library/request.c
    library/simulating.c
    library/wanted.c)
set(plan_abi 1) # SCOW_PLAN_ABI of scow-plan.h, which is compared
target_compile_definitions(scow-plan-entries PRIVATE SCOW_PLAN_SOVERSION=${plan_abi})
set_target_properties(scow-plan-entries PROPERTIES C_VISIBILITY_PRESET hidden)
target_link_libraries(scow-plan-entries PRIVATE scow-planner scow-house)

add_library(scow-plan-library SHARED $<TARGET_OBJECTS:scow-plan-entries>)
set_target_properties(scow-plan-library PROPERTIES
    OUTPUT_NAME scow-plan EXPORT_NAME plan LINKER_LANGUAGE C
    VERSION ${plan_abi}.${PROJECT_VERSION} SOVERSION ${plan_abi}
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/library/symbols.map)
target_link_libraries(scow-plan-library PRIVATE scow-planner scow-house)
target_link_options(scow-plan-library PRIVATE LINKER:--exclude-libs,ALL
    LINKER:--version-script,${CMAKE_CURRENT_SOURCE_DIR}/library/symbols.map)
target_include_directories(scow-plan-library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/scow)
configure_file(library/scow-plan.pc.in scow-plan.pc @ONLY)
configure_package_config_file(library/scowConfig.cmake.in scowConfig.cmake
    INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(scowConfigVersion.cmake COMPATIBILITY SameMajorVersion)

install(TARGETS scow-plan-library EXPORT scowPlanTargets)
install(EXPORT scowPlanTargets NAMESPACE scow:: DESTINATION ${package_directory})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/scowConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/scowConfigVersion.cmake DESTINATION ${package_directory})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/scow-plan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES library/scow-plan.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The module finds the library from where it lies (jobs/python/scow_plan.py).
set(SCOW_PYTHON_DIRECTORY ${CMAKE_INSTALL_DATADIR}/scow/python CACHE STRING
    "Where the Python module scow_plan goes, below the prefix: lib/python3/dist-packages, for example")
install(FILES ${PROJECT_SOURCE_DIR}/jobs/python/scow_plan.py DESTINATION ${SCOW_PYTHON_DIRECTORY})
