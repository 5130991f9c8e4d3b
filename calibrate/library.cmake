# libscow: all commands in one library with one function, scow_main, for programs of users; and what
# compilers need for plug-ins and programs: the header, a pkg-config file and targets of the CMake package
# (planner/library).
add_library(scow-library SHARED library/program.c)
set_target_properties(scow-library PROPERTIES
    OUTPUT_NAME scow EXPORT_NAME scow VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(scow-library PRIVATE scow-go-lib scow-calibrate-lib scow-command scow-house)
target_link_options(scow-library PRIVATE LINKER:--exclude-libs,ALL)
target_include_directories(scow-library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# A plug-in needs the header alone.
add_library(scow-plugin INTERFACE)
set_target_properties(scow-plugin PROPERTIES EXPORT_NAME plugin)
target_include_directories(scow-plugin INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/scow)
configure_file(library/scow.pc.in scow.pc @ONLY)

install(TARGETS scow-library scow-plugin EXPORT scowTargets)
install(EXPORT scowTargets NAMESPACE scow:: DESTINATION ${package_directory})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/scow.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/kernel/scow.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
