/* The Gantt chart, on a canvas: what is shown of the rows, and how it is painted. */

const GUTTER = 78, AXIS = 24, PIXEL_LEAST = 1;

/* Heights by the number of rows: pairs of a thin band (the plan) above a thick one (the run). */
function ganttHeights(rows) {
    const dense = rows.rowCount > 24, both = rows.traces.length > 1;
    return { predicted: both ? (dense ? 4 : 6) : 0, measured: dense ? 8 : 13, gap: dense ? 4 : 9 };
}

function ganttMake(rows, canvas, viewport) {
    const heights = ganttHeights(rows);
    const chart = { rows, canvas, viewport, heights, start: 0, end: rows.end, marked: null, selection: null,
        roundEnds: [], followers: [], width: 0, height: 0 };
    chart.pitch = heights.predicted + heights.measured + heights.gap;
    chart.total = AXIS + heights.gap + rows.rowCount * chart.pitch;
    return chart;
}

/* ---- places ---- */

/* Asking the browser for the canvas's width may make it lay out the page: it is asked once a painting. */
function ganttWidth(chart) {
    return chart.width - GUTTER;
}

function ganttX(chart, ns) {
    return GUTTER + (ns - chart.start) / (chart.end - chart.start) * ganttWidth(chart);
}

function ganttTime(chart, x) {
    return chart.start + (x - GUTTER) / ganttWidth(chart) * (chart.end - chart.start);
}

function rowTop(chart, row) {
    return AXIS + chart.heights.gap + row * chart.pitch - chart.viewport.scrollTop;
}

/* Top and height of a trace's band. */
function bandOf(chart, row, traceIndex) {
    const { predicted, measured } = chart.heights;
    const below = chart.rows.traces.length > 1 && traceIndex === 1;
    const single = chart.rows.traces.length === 1;
    return { top: rowTop(chart, row) + (below ? predicted + 1 : 0), height: single || below ? measured : predicted };
}

/* The part of a band that a lane's own spans have, or the rest of it, below, for what is written meanwhile. */
function bandPart(band, part) {
    const own = Math.ceil(band.height * 2 / 3);
    return part === 0 ? { top: band.top, height: own } : { top: band.top + own, height: band.height - own };
}

/* {traceIndex, row, place, k} of the span there, or null. */
function ganttHit(chart, x, y) {
    const row = Math.floor((y + chart.viewport.scrollTop - AXIS - chart.heights.gap / 2) / chart.pitch);
    if (x < GUTTER || y < AXIS || row < 0 || row >= chart.rows.rowCount)
        return null;
    const traces = chart.rows.traces;
    const traceIndex = traces.length > 1 && y >= bandOf(chart, row, 1).top ? 1 : 0;
    const whole = traces[traceIndex].lanes[row], columns = traces[traceIndex].columns;
    const part = y >= bandPart(bandOf(chart, row, traceIndex), 1).top ? 1 : 0, lane = whole.parts?.[part] ?? whole;
    const time = ganttTime(chart, x), slack = (chart.end - chart.start) / ganttWidth(chart);
    for (let place = firstAbove(lane.reach, time - slack); place < lane.indices.length; place++) {
        const k = lane.indices[place];
        if (columns.start_ns[k] > time + slack)
            return null;
        if (columns.start_ns[k] + columns.length_ns[k] >= time - slack)
            return { traceIndex, row, place: lane === whole ? place : whole.indices.indexOf(k), k };
    }
    return null;
}

/* ---- painting ---- */

function ganttPalette(events) {
    const of = (name) => colours.get(name);
    return { operations: events.operations.map((name) => of(name)), ink: of('ink'), soft: of('soft'), line: of('line'),
        raised: of('raised'), band: of('band'), accent: of('accent'),
        causes: events.causes.map((name) => of(operationColour('idle', name))) };
}

function spanColour(palette, columns, k) {
    return columns.cause[k] >= 0 ? palette.causes[columns.cause[k]] : palette.operations[columns.operation[k]];
}

/* Spans below a pixel share one: it has the colour of the longest of them. */
function lanePaint(context, chart, palette, columns, lane, band) {
    let pixel = -1, longest = 0, colour = null;
    const flush = () => {
        if (pixel >= 0) {
            context.fillStyle = colour;
            context.fillRect(pixel, band.top, PIXEL_LEAST, band.height);
        }
        pixel = -1;
    };
    for (let place = firstAbove(lane.reach, chart.start); place < lane.indices.length; place++) {
        const k = lane.indices[place], start = columns.start_ns[k], length = columns.length_ns[k];
        if (start > chart.end)
            break;
        const x0 = Math.max(GUTTER, ganttX(chart, start)), x1 = ganttX(chart, start + length);
        if (x1 - x0 >= PIXEL_LEAST) {
            flush();
            context.fillStyle = spanColour(palette, columns, k);
            context.fillRect(x0, band.top, Math.min(x1, chart.width) - x0 - (x1 - x0 > 4 ? 0.5 : 0), band.height);
        } else if (Math.floor(x0) !== pixel || length > longest) {
            if (Math.floor(x0) !== pixel)
                flush();
            pixel = Math.floor(x0);
            longest = length;
            colour = spanColour(palette, columns, k);
        }
    }
    flush();
}

function rowPaint(context, chart, palette, row) {
    const { traces } = chart.rows;
    context.fillStyle = palette.soft;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(rowName(chart.rows, row), GUTTER - 8, rowTop(chart, row) + (chart.pitch - chart.heights.gap) / 2 + 1);
    traces.forEach((trace, traceIndex) => {
        context.globalAlpha = traces.length > 1 && traceIndex === 0 ? 0.6 : 1;
        const lane = trace.lanes[row], band = bandOf(chart, row, traceIndex);
        if (!lane.parts)
            lanePaint(context, chart, palette, trace.columns, lane, band);
        lane.parts?.forEach((own, part) =>
            lanePaint(context, chart, palette, trace.columns, own, bandPart(band, part)));
    });
    context.globalAlpha = 1;
}

/* A step of 1, 2 or 5 times a power of ten, at least `least`. */
function roundStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

function axisPaint(context, chart, palette) {
    const height = chart.height, step = roundStep((chart.end - chart.start) * 90 / ganttWidth(chart));
    context.fillStyle = palette.soft;
    context.strokeStyle = palette.line;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 1;
    context.beginPath();
    for (let tick = Math.ceil(chart.start / step); tick * step <= chart.end; tick++) {
        const x = Math.round(ganttX(chart, tick * step)) + 0.5;
        context.moveTo(x, AXIS - 4);
        context.lineTo(x, height);
        context.fillText(axisWords(tick * step, step), Math.min(x, chart.width - 24), AXIS / 2);
    }
    context.stroke();
}

/* In the unit of the step. */
function axisWords(ns, step) {
    const [unit, name] = step >= 1e8 ? [1e9, 's'] : step >= 1e5 ? [1e6, 'ms'] : step >= 100 ? [1e3, 'µs'] : [1, 'ns'];
    return `${Number((ns / unit).toPrecision(10))} ${name}`;
}

/* Ends of the run's rounds, numbered where there is room. */
function roundsPaint(context, chart, palette) {
    let last = -Infinity;
    context.strokeStyle = palette.accent;
    context.fillStyle = palette.accent;
    context.textAlign = 'right';
    context.lineWidth = 1;
    context.setLineDash([1, 4]);
    chart.roundEnds.forEach((ns, round) => {
        const x = Math.round(ganttX(chart, ns)) + 0.5;
        if (ns < chart.start || ns > chart.end || x - last < 14 + 7 * String(round + 1).length)
            return;
        last = x;
        context.beginPath();
        context.moveTo(x, AXIS);
        context.lineTo(x, chart.height);
        context.stroke();
        context.fillText(round + 1, x - 3, AXIS + 4);
    });
    context.setLineDash([]);
}

function markedPaint(context, chart, palette) {
    const { marked, selection } = chart;
    context.save();
    context.beginPath();
    context.rect(GUTTER - 2, AXIS, chart.width, chart.height);
    context.clip();
    if (marked) {
        const { columns } = chart.rows.traces[marked.traceIndex], band = bandOf(chart, marked.row, marked.traceIndex);
        const x0 = ganttX(chart, columns.start_ns[marked.k]);
        const x1 = ganttX(chart, columns.start_ns[marked.k] + columns.length_ns[marked.k]);
        context.strokeStyle = palette.ink;
        context.lineWidth = 1.5;
        context.strokeRect(x0 - 1, band.top - 1, Math.max(2, x1 - x0) + 2, band.height + 2);
    }
    if (selection) {
        context.fillStyle = palette.band;
        context.fillRect(Math.min(...selection), AXIS, Math.abs(selection[1] - selection[0]), chart.height);
    }
    context.restore();
}

/* As large as there is room for, in the screen's own pixels. */
function canvasFit(chart) {
    const ratio = colours.printing ? 2 : window.devicePixelRatio || 1;
    chart.width = chart.canvas.clientWidth;
    chart.height = chart.canvas.clientHeight;
    const { width, height } = chart;
    if (chart.canvas.width !== Math.round(width * ratio) || chart.canvas.height !== Math.round(height * ratio)) {
        chart.canvas.width = Math.round(width * ratio);
        chart.canvas.height = Math.round(height * ratio);
    }
    const context = chart.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    return context;
}

function ganttPaint(chart) {
    const context = canvasFit(chart), palette = ganttPalette(chart.rows.events);
    if (ganttWidth(chart) <= 0)
        return;
    axisPaint(context, chart, palette);
    for (let row = 0; row < chart.rows.rowCount; row++) {
        const top = rowTop(chart, row);
        if (top + chart.pitch > AXIS && top < chart.height)
            rowPaint(context, chart, palette, row);
    }
    context.fillStyle = palette.raised;
    context.globalAlpha = 0.94;
    context.fillRect(0, 0, chart.width, AXIS - 4);
    context.globalAlpha = 1;
    axisPaint(context, { ...chart, height: AXIS }, palette);
    roundsPaint(context, chart, palette);
    markedPaint(context, chart, palette);
}

/* Paint once before the next frame, however often it is asked for. */
function ganttAsk(chart) {
    chart.asked ??= requestAnimationFrame(() => {
        chart.asked = null;
        ganttPaint(chart);
    });
}

/* ---- what is shown ---- */

function ganttShow(chart, start, end) {
    const whole = chart.rows.end, length = Math.min(whole, Math.max(end - start, 200));
    chart.start = Math.min(Math.max(0, start), whole - length);
    chart.end = chart.start + length;
    ganttAsk(chart);
}

function ganttZoom(chart, factor, around) {
    ganttShow(chart, around - (around - chart.start) * factor, around + (chart.end - around) * factor);
}

function ganttReveal(chart, row) {
    chart.viewport.scrollTop = row * chart.pitch - chart.height / 2;
    chart.canvas.scrollIntoView({ block: 'center' });
    ganttAsk(chart);
}
