# Plug-ins for tests, all in one directory: one that does whatever is asked of it wrong, and
# variants of a small one of which all but the first are refused.
set(plugin_directory ${CMAKE_CURRENT_BINARY_DIR}/plugins)

function(scow_add_plugin name source)
    add_library(plugin-${name} MODULE plugins/${source})
    target_link_libraries(plugin-${name} PRIVATE scow-house)
    target_compile_definitions(plugin-${name} PRIVATE ${ARGN})
    set_target_properties(plugin-${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
        LIBRARY_OUTPUT_DIRECTORY ${plugin_directory})
    set_property(GLOBAL APPEND PROPERTY scow_plugins plugin-${name})
endfunction()

scow_add_plugin(nonsense nonsense.c)
scow_add_plugin(lines lines.c)
scow_add_plugin(good variant.c)
scow_add_plugin(other variant.c PLUGIN_INITIAL=3)
scow_add_plugin(no-symbol variant.c PLUGIN_SYMBOL=scow_plugout)
scow_add_plugin(next-major variant.c "PLUGIN_ABI=((SCOW_ABI_MAJOR+1u)<<16)")
scow_add_plugin(next-minor variant.c "PLUGIN_ABI=(SCOW_ABI+1u)")
scow_add_plugin(smaller variant.c "PLUGIN_SIZE=(sizeof(struct scow_task)-8)")
scow_add_plugin(older variant.c "PLUGIN_ABI=(SCOW_ABI_MAJOR<<16)"
    "PLUGIN_SIZE=offsetof(struct scow_task,run_parameters)" "PLUGIN_RUN=\"power\"")
scow_add_plugin(runs variant.c "PLUGIN_RUN=\"power\"")
scow_add_plugin(run-unknown variant.c "PLUGIN_RUN=\"speed\"")
scow_add_plugin(run-taken variant.c "PLUGIN_RUN=\"until\"" "PLUGIN_PARAMETER=\"until\"")
scow_add_plugin(weighs-below variant.c PLUGIN_WEIGHT=-1)
scow_add_plugin(no-describe variant.c PLUGIN_DESCRIBE=0)
scow_add_plugin(no-compute variant.c PLUGIN_COMPUTE=0)
scow_add_plugin(bad-name variant.c "PLUGIN_NAME=\"Bad Name\"")
scow_add_plugin(default-outside variant.c PLUGIN_INITIAL=4)
scow_add_plugin(option variant.c "PLUGIN_PARAMETER=\"output\"")
get_property(plugins GLOBAL PROPERTY scow_plugins)
