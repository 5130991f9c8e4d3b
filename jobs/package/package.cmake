# What is installed beside the programs, and packages of all of it: cpack --config BUILD/CPackConfig.cmake
set(here ${PROJECT_SOURCE_DIR}/jobs/package)
install(DIRECTORY ${here}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${here}/man/scow-plugin.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES ${here}/man/scow-files.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${here}/completion/scow.bash RENAME scow
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${here}/completion/_scow DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
configure_file(${here}/modulefile.in ${PROJECT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefile RENAME ${PROJECT_VERSION}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/scow/modulefiles/scow)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Links of README and guide lead to where they do in the repository.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/jobs/guide ${PROJECT_SOURCE_DIR}/jobs/data ${PROJECT_SOURCE_DIR}/jobs/plugins
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/jobs PATTERN __pycache__ EXCLUDE)
install(FILES ${here}/CHANGELOG.md ${here}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR}/jobs/package)
install(FILES ${PROJECT_SOURCE_DIR}/jobs/run.sbatch DESTINATION ${CMAKE_INSTALL_DOCDIR}/jobs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/planner/report/html/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    RENAME copyright.uPlot)

# Batch jobs, for users to call and to copy from.
set(jobs ${PROJECT_SOURCE_DIR}/jobs)
install(PROGRAMS ${jobs}/scow.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/scow/jobs)
install(FILES ${jobs}/calibrate.sbatch ${jobs}/plan.sbatch ${jobs}/run.sbatch ${jobs}/report.sbatch
    DESTINATION ${CMAKE_INSTALL_DATADIR}/scow/jobs)
install(DIRECTORY ${jobs}/pbs DESTINATION ${CMAKE_INSTALL_DATADIR}/scow/jobs USE_SOURCE_PERMISSIONS)

set(CPACK_PACKAGE_NAME scow)
set(CPACK_PACKAGE_VENDOR "The scow authors")
set(CPACK_PACKAGE_CONTACT "The scow authors <scow@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plan and run large numbers of independent tasks on clusters")
set(CPACK_PACKAGE_DESCRIPTION "Calibrates a cluster with short probe runs, plans rounds, workers and
package sizes for the least makespan, runs that plan with MPI and OpenMP, and reports how good it was.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)
# What programs link with is found by dpkg-shlibdeps; they are started by MPICH's mpiexec.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_PRE_BUILD_SCRIPTS ${here}/debian_python.cmake)
set(needed)
if(NOT SCOW_PLANNER_ONLY)
    list(APPEND needed mpich)
endif()
# What is loaded when it is wanted dpkg-shlibdeps does not see.
get_property(loaded GLOBAL PROPERTY EXTERNAL_LOADED)
find_program(SCOW_DPKG_QUERY dpkg-query)
mark_as_advanced(SCOW_DPKG_QUERY)
foreach(library IN LISTS loaded)
    if(SCOW_DPKG_QUERY)
        execute_process(COMMAND ${SCOW_DPKG_QUERY} --search "*/${library}" OUTPUT_VARIABLE owner ERROR_QUIET)
        if(owner MATCHES "^([^:, ]+)")
            list(APPEND needed ${CMAKE_MATCH_1})
        endif()
    endif()
endforeach()
list(JOIN needed ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
include(CPack)
