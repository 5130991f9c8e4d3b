/* Makespan against charge: all plans of which none is both as fast and as cheap as another one. */

/* Values further apart than this ratio are drawn on a logarithmic axis. */
const RATIO_WIDE = 20;

function wide(values) {
    return Math.max(...values) > RATIO_WIDE * Math.min(...values);
}

function paretoClasses(row) {
    return row.classes.map((part) => `${words.count(part.workers)} ${part.class}`).join(', ');
}

/* The same words in the chart, under the cursor and in the table: colours are never alone. */
function paretoMarks(row) {
    return [row.knee ? 'least makespan × charge' : null, row.chosen ? 'chosen' : null].filter(Boolean).join(', ');
}

function paretoWords(row) {
    const marks = paretoMarks(row);
    return `${words.seconds(row.makespan_s)} for ${words.short(row.charge)}, with ${paretoClasses(row)}${marks ? `: ${marks}` : ''}`;
}

/* Beside its point, towards the chart's middle. */
function paretoLabel(u, row) {
    const x = u.valToPos(row.charge, 'x', true), y = u.valToPos(row.makespan_s, 'y', true);
    const right = x > u.bbox.left + u.bbox.width / 2, pixels = devicePixelRatio;
    u.ctx.save();
    u.ctx.font = `${11 * pixels}px system-ui, sans-serif`;
    u.ctx.fillStyle = colours.get('ink');
    u.ctx.textAlign = right ? 'right' : 'left';
    u.ctx.textBaseline = 'bottom';
    u.ctx.fillText(paretoMarks(row), x + (right ? -8 : 8) * pixels, y - 6 * pixels);
    u.ctx.restore();
}

/* Cheapest first. Between two points a budget buys the cheaper one: the line goes on at its makespan. */
function paretoChart(rows) {
    const charges = rows.map((row) => row.charge), makespans = rows.map((row) => row.makespan_s), logY = wide(makespans);
    const only = (wanted) => rows.map((row) => (wanted(row) ? row.makespan_s : null));
    return lineChart({ label: 'Makespan by charge', height: 260, x: charges, xLabel: 'charge', yLabel: 'makespan',
        yFrom0: !logY, logY, logX: wide(charges), fractions: true, padRight: 24,
        say: (k) => paretoWords(rows[k]), paint: (u) => rows.filter(paretoMarks).forEach((row) => paretoLabel(u, row)),
        series: [{ values: makespans, colour: 'accent', width: 2, points: true, stepped: true },
            { values: only((row) => row.knee), colour: 'output', pointsOnly: true },
            { values: only((row) => row.chosen && !row.knee), colour: 'ink', pointsOnly: true }] });
}

function paretoTable(rows) {
    const seconds = words.secondsColumn(rows.map((row) => row.makespan_s));
    return folded('The numbers', () => scrolled('Plans', table(null,
        [{ name: 'charge', text: true }, { name: 'makespan' }, { name: 'workers' }, { name: 'of each class', text: true, long: true },
            { name: '', text: true }],
        rows.map((row) => ({ kind: row.chosen ? 'total' : null, cells: [words.short(row.charge), seconds(row.makespan_s),
            words.count(row.workers), paretoClasses(row), paretoMarks(row)] })))));
}

function paretoNote(rows) {
    const rest = rows.some((row) => row.chosen) ? '' : ' The chosen plan is not among them: one of them is as fast and as cheap.';
    return rows.length === 1 ? `One plan is both the fastest and the cheapest.${rest}`
        : `${words.capital(words.several(rows.length, 'plan'))}, of which none is both as fast and as cheap as another one: the line is the least makespan for a charge.${rest}`;
}

function paretoSection(pareto) {
    const rows = [...pareto.rows].reverse();
    return section('pareto', 'Makespan and charge', paretoNote(rows), paretoChart(rows), paretoTable(rows));
}
