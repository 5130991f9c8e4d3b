# Debian's Python looks in a folder of its own: there the module scow_plan is a link to the one that all
# packages have.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(packages "${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/lib/python3/dist-packages")
    file(MAKE_DIRECTORY "${packages}")
    file(CREATE_LINK ../../../share/scow/python/scow_plan.py "${packages}/scow_plan.py" SYMBOLIC)
endif()
