/* The rows of the Gantt chart: the master, the port, the workers; for each the spans of plan and run. */

const MASTER = 0, PORT = 1, FIRST_WORKER = 2;

/* Rows of a span: transfers share the port, whichever rank they go to. */
function rowOf(columns, k, linkOperation) {
    if (columns.operation[k] === linkOperation)
        return PORT;
    return columns.rank[k] === 0 ? MASTER : FIRST_WORKER + columns.rank[k] - 1;
}

/* Spans of one row by their starts; `reach` is the latest end so far, for transfers overlap, and results may be
 * written while their worker goes on. */
function laneMake(columns, indices) {
    indices.sort((a, b) => columns.start_ns[a] - columns.start_ns[b]);
    const reach = new Float64Array(indices.length);
    let latest = -Infinity;
    indices.forEach((index, k) => {
        latest = Math.max(latest, columns.start_ns[index] + columns.length_ns[index]);
        reach[k] = latest;
    });
    return { indices, reach };
}

function lanesMake(columns, rowCount, operations) {
    const indices = Array.from({ length: rowCount }, () => []), output = operations.indexOf('output');
    for (let k = 0; k < columns.rank.length; k++)
        indices[rowOf(columns, k, operations.indexOf('link'))].push(k);
    return indices.map((row, place) => {
        const lane = laneMake(columns, row);
        return place >= FIRST_WORKER ? laneDivide(lane, columns, output) : lane;
    });
}

/* Where a worker's spans overlap, what it does itself and what it writes have a lane each: `parts`. */
function laneDivide(lane, columns, output) {
    if (!lane.indices.some((index, k) => k > 0 && columns.start_ns[index] < lane.reach[k - 1]))
        return lane;
    const writes = (index) => columns.cause[index] < 0 && columns.operation[index] === output;
    return { ...lane, parts: [laneMake(columns, lane.indices.filter((index) => !writes(index))),
        laneMake(columns, lane.indices.filter(writes))] };
}

/* The first place from which values[place] > limit; values ascend. */
function firstAbove(values, limit) {
    let low = 0, high = values.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] > limit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

function lastEnd(lanes) {
    return lanes.reduce((most, lane) => Math.max(most, lane.reach[lane.reach.length - 1] ?? 0), 0);
}

function workersIn(columns) {
    let most = 0;
    for (const rank of columns?.rank ?? [])
        most = Math.max(most, rank);
    return most;
}

/* Each master numbers its packages: whose one the span is of. */
function masterOf(events, above, columns, k) {
    const operation = events.operations[columns.operation[k]];
    return operation === 'envelope' || operation === 'send' ? columns.rank[k] : above.get(columns.rank[k]) ?? 0;
}

/* Where the same package's operation lies among the plan's spans, for comparison. */
function predictedFinder(events, above) {
    let places = null;
    const key = (columns, k) => `${masterOf(events, above, columns, k)}:${columns.package[k]}:${columns.operation[k]}`;
    return (from, at) => {
        if (!places) {
            const columns = events.predicted;
            places = new Map();
            for (let k = 0; k < columns.rank.length; k++)
                if (columns.cause[k] < 0)
                    places.set(key(columns, k), k);
        }
        return places.get(key(from, at));
    };
}

/* traces: [{name, columns, lanes}], the plan's first; those that are there. */
function rowsMake(events, plan) {
    const { above, masters } = mastersOf(plan);
    const workers = Math.max(workersIn(events.measured), workersIn(events.predicted));
    const rowCount = FIRST_WORKER + workers;
    const traces = ['predicted', 'measured'].filter((name) => events[name]).map((name) => ({
        name, columns: events[name], lanes: lanesMake(events[name], rowCount, events.operations) }));
    return { events, masters, traces, rowCount, end: Math.max(...traces.map((trace) => lastEnd(trace.lanes)), 1),
        findPredicted: events.predicted ? predictedFinder(events, above) : () => undefined };
}

/* Several masters have a rank each, and a port each in one row. */
function rankName(rows, rank) {
    return rank > 0 && !rows.masters.has(rank) ? `worker ${rank}` : rows.masters.size > 0 ? `master ${rank}` : 'master';
}

function rowName(rows, row) {
    if (row === PORT)
        return rows.masters.size > 0 ? 'ports' : 'port';
    return rankName(rows, row === MASTER ? 0 : row - FIRST_WORKER + 1);
}

/* When rounds end, as far as events have them. */
function roundEnds(columns) {
    const ends = [];
    for (let k = 0; k < columns.rank.length; k++)
        if (columns.cause[k] < 0 && columns.rank[k] > 0)
            ends[columns.round[k]] = Math.max(ends[columns.round[k]] ?? 0, columns.start_ns[k] + columns.length_ns[k]);
    return ends;
}

/* From the first start to the last end of a round in the run, or in the plan. */
function roundSpan(rows, round) {
    const { columns } = rows.traces[rows.traces.length - 1];
    let start = Infinity, end = 0;
    for (let k = 0; k < columns.rank.length; k++) {
        if (columns.round[k] !== round || columns.cause[k] >= 0)
            continue;
        start = Math.min(start, columns.start_ns[k]);
        end = Math.max(end, columns.start_ns[k] + columns.length_ns[k]);
    }
    return end > start ? [start, end] : null;
}

/* What the tip says of a span, line by line. */
function spanWords(rows, trace, k) {
    const { columns } = trace, { operations, causes } = rows.events;
    const waits = columns.cause[k] >= 0, operation = columns.operation[k];
    const start = columns.start_ns[k] / 1e9, length = columns.length_ns[k] / 1e9;
    const tasks = columns.tasks[k], first = columns.first[k];
    const who = rankName(rows, columns.rank[k]);
    const inPlan = columns.package[k] < 0 ? '' : `round ${columns.round[k] + 1}, package ${columns.package[k] + 1}, `;
    const lines = [`${inPlan}${
        tasks === 1 ? `core task ${first + 1}` : `core tasks ${first + 1} to ${first + tasks} (${tasks})`}`,
    `${words.seconds(length)}, from ${words.seconds(start)} to ${words.seconds(start + length)}`];
    const twin = trace.name === 'measured' && !waits ? rows.findPredicted(columns, k) : undefined;
    if (twin !== undefined) {
        const predicted = rows.events.predicted.length_ns[twin] / 1e9;
        lines.push(`predicted ${words.seconds(predicted)}${predicted > 0 ? `, ${words.signedPercent(length / predicted - 1)}` : ''}`);
    }
    const what = waits ? `waits: ${causes[columns.cause[k]]}` : operations[operation];
    return { title: `${words.capital(what)} · ${who} · ${trace.name}`, lines };
}
