# The page of the reports, in the program as bytes.
scow_room(scow-page SOURCES report/html/page.c ON scow-base)
set(here ${CMAKE_CURRENT_SOURCE_DIR}/report/html)

# scow_embed(SYMBOL FILE...): the files, one after another, as `const struct embedded SYMBOL`.
function(scow_embed symbol)
    list(TRANSFORM ARGN PREPEND ${here}/)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} "-DFILES=${ARGN}"
            -P ${here}/embed.cmake
        DEPENDS ${ARGN} ${here}/embed.cmake VERBATIM)
    target_sources(scow-page PRIVATE ${output})
endfunction()

scow_embed(embedded_page page.html)
scow_embed(embedded_style uplot/uPlot.min.css page.css)
scow_embed(embedded_notice uplot/LICENSE)
scow_embed(embedded_library uplot/uPlot.iife.min.js)
scow_embed(embedded_script
    script/words.js
    script/elements.js
    script/colours.js
    script/masters.js
    script/levels.js
    script/joined.js
    script/headline.js
    script/shared.js
    script/rows.js
    script/gantt.js
    script/gantt_input.js
    script/bars.js
    script/time.js
    script/lines.js
    script/calibration.js
    script/regions.js
    script/workers.js
    script/pareto.js
    script/feeding.js
    script/result.js
    script/provenance.js
    script/comparison.js
    script/strips.js
    script/page.js)
