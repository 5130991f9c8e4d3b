/* The Gantt chart in the reader's hands: pointer, keys, the tip, and the section around it. */

/* Rounds to choose from: more are reached by zooming. */
const ROUNDS_MOST = 1000;
const DRAG_LEAST = 5, DRAWN_KINDS = ['envelope', 'send', 'link', 'receive', 'compute', 'output', 'start', 'idle', 'unexplained'];

/* ---- the tip ---- */

function tipShow(chart, tip, hit, x, y) {
    chart.marked = hit;
    ganttAsk(chart);
    tip.hidden = !hit;
    if (!hit)
        return;
    const { columns } = chart.rows.traces[hit.traceIndex];
    chart.followers.forEach((use) => use({ rank: columns.rank[hit.k], round: columns.round[hit.k] }));
    const { title, lines } = spanWords(chart.rows, chart.rows.traces[hit.traceIndex], hit.k);
    tip.replaceChildren(el('strong', null, title), ...lines.map((line) => el('div', null, line)));
    const width = chart.width;
    tip.style.left = `${Math.max(4, Math.min(x + 14, width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 18}px`;
}

/* Where the marked span is seen, for the tip of who uses keys. */
function markedPlace(chart) {
    const { row, traceIndex, k } = chart.marked, { columns } = chart.rows.traces[traceIndex];
    const x = ganttX(chart, columns.start_ns[k] + columns.length_ns[k] / 2);
    return [Math.max(GUTTER, Math.min(x, chart.width)), bandOf(chart, row, traceIndex).top];
}

function spanMark(chart, tip, hit) {
    const { columns } = chart.rows.traces[hit.traceIndex];
    const start = columns.start_ns[hit.k], end = start + columns.length_ns[hit.k], length = chart.end - chart.start;
    if (end < chart.start || start > chart.end)
        ganttShow(chart, (start + end - length) / 2, (start + end + length) / 2);
    const top = rowTop(chart, hit.row);
    if (top < AXIS || top + chart.pitch > chart.height)
        chart.viewport.scrollTop += top - chart.height / 2;
    chart.marked = hit;
    tipShow(chart, tip, hit, ...markedPlace(chart));
}

/* ---- keys ---- */

/* The span of that row at the time where the marked one begins, or next to it. */
function spanIn(chart, traceIndex, row, time) {
    const lane = chart.rows.traces[traceIndex].lanes[row];
    if (lane.indices.length === 0)
        return null;
    const place = Math.min(firstAbove(lane.reach, time), lane.indices.length - 1);
    return { traceIndex, row, place, k: lane.indices[place] };
}

function spanBeside(chart, step) {
    const { traceIndex, row, place } = chart.marked;
    const lane = chart.rows.traces[traceIndex].lanes[row];
    const next = Math.max(0, Math.min(place + step, lane.indices.length - 1));
    return { traceIndex, row, place: next, k: lane.indices[next] };
}

/* Up and down: from band to band, those without spans left out. */
function spanAcross(chart, step) {
    const count = chart.rows.traces.length, { columns } = chart.rows.traces[chart.marked.traceIndex];
    const time = columns.start_ns[chart.marked.k];
    let band = chart.marked.row * count + chart.marked.traceIndex + step;
    for (; band >= 0 && band < chart.rows.rowCount * count; band += step) {
        const hit = spanIn(chart, band % count, Math.floor(band / count), time);
        if (hit)
            return hit;
    }
    return chart.marked;
}

function firstSpan(chart) {
    for (let row = FIRST_WORKER; row < chart.rows.rowCount; row++) {
        const hit = spanIn(chart, chart.rows.traces.length - 1, row, chart.start);
        if (hit)
            return hit;
    }
    return null;
}

function ganttKey(chart, tip, event) {
    const middle = (chart.start + chart.end) / 2;
    const steps = { ArrowLeft: () => spanBeside(chart, -1), ArrowRight: () => spanBeside(chart, 1),
        ArrowUp: () => spanAcross(chart, -1), ArrowDown: () => spanAcross(chart, 1) };
    const views = { '+': () => ganttZoom(chart, 0.5, middle), '=': () => ganttZoom(chart, 0.5, middle),
        '-': () => ganttZoom(chart, 2, middle), 0: () => ganttShow(chart, 0, chart.rows.end),
        Escape: () => tipShow(chart, tip, null) };
    if (event.ctrlKey || event.metaKey || event.altKey || !(steps[event.key] || views[event.key]))
        return;
    event.preventDefault();
    views[event.key]?.();
    const hit = steps[event.key] ? (chart.marked ? steps[event.key]() : firstSpan(chart)) : null;
    if (hit)
        spanMark(chart, tip, hit);
}

/* ---- pointer ---- */

function pointerAt(chart, event) {
    const box = chart.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function dragEnd(chart) {
    const [from, to] = chart.selection.map((x) => ganttTime(chart, Math.max(GUTTER, x)));
    const far = Math.abs(chart.selection[1] - chart.selection[0]) >= DRAG_LEAST;
    chart.selection = null;
    if (far)
        ganttShow(chart, Math.min(from, to), Math.max(from, to));
    ganttAsk(chart);
}

function ganttListen(chart, tip) {
    const { canvas } = chart;
    canvas.addEventListener('pointerdown', (event) => {
        const [x] = pointerAt(chart, event);
        chart.selection = event.button === 0 ? [x, x] : null;
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
        const [x, y] = pointerAt(chart, event);
        if (chart.selection)
            chart.selection[1] = x;
        tipShow(chart, tip, ganttHit(chart, x, y), x, y);
    });
    canvas.addEventListener('pointerup', () => chart.selection && dragEnd(chart));
    canvas.addEventListener('pointercancel', () => { chart.selection = null; });
    canvas.addEventListener('pointerleave', () => tipShow(chart, tip, null));
    canvas.addEventListener('dblclick', () => ganttShow(chart, 0, chart.rows.end));
    canvas.addEventListener('wheel', (event) => {
        if (!event.ctrlKey && !event.metaKey)
            return;
        event.preventDefault();
        ganttZoom(chart, Math.exp(event.deltaY / 200), ganttTime(chart, pointerAt(chart, event)[0]));
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => ganttKey(chart, tip, event));
    canvas.addEventListener('blur', () => tipShow(chart, tip, null));
    chart.viewport.addEventListener('scroll', () => ganttAsk(chart));
    new ResizeObserver(() => ganttAsk(chart)).observe(canvas);
}

/* ---- the section ---- */

/* Of these kinds, or of those that the events have. */
function legend(kinds) {
    return el('ul', { class: 'legend', 'aria-label': 'Colours' }, ...kinds.map((name) =>
        el('li', null, swatch(name), name === 'idle' ? 'waiting' : name)));
}

function kindsOf(events) {
    const seen = new Set();
    for (const columns of [events.measured, events.predicted].filter(Boolean))
        for (let k = 0; k < columns.rank.length; k++)
            seen.add(operationColour(events.operations[columns.operation[k]], events.causes[columns.cause[k]]));
    return DRAWN_KINDS.filter((name) => seen.has(name));
}

function roundChooser(chart, count) {
    const options = Array.from({ length: Math.min(count, ROUNDS_MOST) }, (_, round) =>
        el('option', { value: round }, `round ${round + 1}`));
    return el('select', { 'aria-label': 'Show', onchange(event) {
        const span = event.target.value === '' ? [0, chart.rows.end] : roundSpan(chart.rows, Number(event.target.value));
        if (span)
            ganttShow(chart, ...span);
    } }, el('option', { value: '' }, chart.rows.events.measured ? 'whole run' : 'whole plan'), ...options);
}

function ganttTools(chart, rounds) {
    const middle = () => (chart.start + chart.end) / 2;
    const button = (label, name, act) => el('button', { type: 'button', 'aria-label': name, onclick: act }, label);
    return el('div', { class: 'tools' }, roundChooser(chart, rounds),
        button('+', 'Zoom in', () => ganttZoom(chart, 0.5, middle())),
        button('\u2212', 'Zoom out', () => ganttZoom(chart, 2, middle())),
        button('Whole', 'Show the whole', () => ganttShow(chart, 0, chart.rows.end)), legend(kindsOf(chart.rows.events)));
}

function ganttNote(events, rows) {
    const both = events.measured && events.predicted;
    const what = both ? 'Each pair is a rank: thin above what was predicted, thick below what was measured. '
        : events.measured ? 'What each rank did. ' : 'What each rank is to do. ';
    const cut = events.drawn < events.packages
        ? ` Drawn are the first ${words.count(events.drawn)} of ${words.count(events.packages)} packages.` : '';
    return `${what}Dashed lines end rounds; ${rows.masters.size > 0
        ? 'masters’ ports, which are one row, carry the transfers to their workers' : 'the port carries the transfers to all workers'}.${cut}`;
}

const GANTT_HELP = 'Drag to zoom, double-click for the whole, Ctrl and wheel to zoom where the pointer is. '
    + 'Keys: arrows from event to event, + and − zoom, 0 shows the whole.';

/* The chart is handed to `use`, once it is in the page. */
function ganttSection(data, rows, chart) {
    chart.roundEnds = data.report ? data.report.rounds.map((round) => 1e9 * round.measured_end_s) : roundEnds(rows.traces[0].columns);
    const tip = el('div', { class: 'tip', role: 'status', 'aria-live': 'polite', hidden: true });
    ganttListen(chart, tip);
    colours.watch(() => ganttPaint(chart));
    return section('gantt', data.report ? 'Who did what, when' : 'Who is to do what, when', ganttNote(data.events, rows),
        ganttTools(chart, chart.roundEnds.length), el('div', { class: 'gantt' }, chart.viewport, tip),
        el('p', { class: 'hint' }, GANTT_HELP), data.report ? null : plannedTable(rows));
}

/* ---- the same in numbers, for a plan: a run has more to say below ---- */

function plannedTable(rows) {
    const { columns, lanes } = rows.traces[0], { operations } = rows.events;
    const workers = lanes.slice(FIRST_WORKER).map((lane, worker) => {
        const spent = (name) => lane.indices.filter((k) => columns.cause[k] < 0 && operations[columns.operation[k]] === name)
            .reduce((sum, k) => sum + columns.length_ns[k] / 1e9, 0);
        const packages = new Set(lane.indices.filter((k) => columns.cause[k] < 0).map((k) => columns.package[k]));
        const tasks = lane.indices.filter((k) => columns.cause[k] < 0 && operations[columns.operation[k]] === 'compute')
            .reduce((sum, k) => sum + columns.tasks[k], 0);
        const ends = lane.indices.filter((k) => columns.cause[k] < 0).map((k) => (columns.start_ns[k] + columns.length_ns[k]) / 1e9);
        return { worker, tasks, packages: packages.size, receive: spent('receive'), compute: spent('compute'), output: spent('output'),
            end: ends.reduce((a, b) => Math.max(a, b), 0) };
    });
    const seconds = words.secondsColumn(workers.map((worker) => worker.end));
    return folded('The same in numbers', () => scrolled('Workers', table(null,
        [{ name: 'worker', text: true }, { name: 'core tasks' }, { name: 'packages' }, { name: 'receive' }, { name: 'compute' },
            { name: 'output' }, { name: 'ends at' }],
        workers.map((one) => ({ cells: [String(one.worker + 1), words.count(one.tasks), words.count(one.packages), seconds(one.receive),
            seconds(one.compute), seconds(one.output), seconds(one.end)] })))));
}

/* Canvas and viewport: the canvas sticks to the viewport's top, a spacer behind it is as high as all rows. */
function ganttBuild(data) {
    const rows = rowsMake(data.events, data.plan);
    const canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'Gantt chart',
        'aria-label': `${rows.rowCount - FIRST_WORKER - rows.masters.size} workers over ${words.seconds(rows.end / 1e9)}. ${GANTT_HELP}` });
    const spacer = el('div', { 'aria-hidden': 'true' });
    const viewport = el('div', { class: 'rows' }, canvas, spacer);
    const chart = ganttMake(rows, canvas, viewport);
    const seen = Math.min(chart.total, 540);
    canvas.style.height = `${seen}px`;
    spacer.style.height = `${chart.total - seen}px`;
    return chart;
}
