/* How many workers, and which scheduler? What the profile predicts for the same job. */

/* So many workers are drawn on a logarithmic axis. */
const WIDE = 100;
/* Differences below this share of the bound look as small as they are. */
const OVER_LEAST = 0.05;

function sweepWords(row) {
    return `${words.count(row.workers)} workers: ${words.seconds(row.makespan_s)}, ${words.short(row.speedup)} times as fast as one, efficiency ${
        words.percent(row.efficiency)}, ${words.seconds(row.node_seconds)} of workers’ time`;
}

function markPaint(u, workers, colour) {
    const x = u.valToPos(workers, 'x', true);
    u.ctx.save();
    u.ctx.strokeStyle = colours.get(colour);
    u.ctx.setLineDash([4, 4]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
}

function sweepChart(sweep, chosen) {
    const { rows } = sweep;
    return lineChart({ label: 'Makespan and efficiency by the number of workers', height: 260, x: rows.map((row) => row.workers),
        xLabel: 'workers', yLabel: 'makespan', share: 'efficiency (dashed)', yFrom0: true, logX: rows.at(-1).workers > WIDE, say: (k) => sweepWords(rows[k]),
        paint: (u) => markPaint(u, chosen, 'ink'),
        series: [{ values: rows.map((row) => row.makespan_s), colour: 'accent', width: 2, points: rows.length < 40 },
            { values: rows.map((row) => row.efficiency), colour: 'output', scale: 'share', dash: [5, 4] }] });
}

/* What the workers cost together, idle or not: who pays for them sees where it begins to rise. */
function costChart(sweep, chosen) {
    const { rows } = sweep;
    return lineChart({ label: 'Workers’ time by the number of workers', height: 170, x: rows.map((row) => row.workers),
        xLabel: 'workers', yLabel: 'workers’ time', yFrom0: true, logX: rows.at(-1).workers > WIDE, padRight: 72, say: (k) => sweepWords(rows[k]),
        paint: (u) => markPaint(u, chosen, 'ink'),
        series: [{ values: rows.map((row) => row.node_seconds), colour: 'compute', width: 2, points: rows.length < 40 }] });
}

function sweepTable(sweep) {
    return folded('The numbers', () => scrolled('Workers', table(null,
        [{ name: 'workers', text: true }, { name: 'makespan' }, { name: 'speed-up' }, { name: 'efficiency' }, { name: 'workers’ time' }],
        sweep.rows.map((row) => ({ kind: row.workers === sweep.knee ? 'total' : null, cells: [words.count(row.workers),
            words.seconds(row.makespan_s), words.short(row.speedup), words.percent(row.efficiency), words.seconds(row.node_seconds)] })))));
}

function schedulersTable(schedulers, chosen) {
    const seconds = words.secondsColumn(schedulers.plans.map((plan) => plan.makespan_s));
    const scale = barScale(0, Math.max(OVER_LEAST, ...schedulers.plans.map((plan) => plan.gap)));
    const rows = schedulers.plans.map((plan) => ({ kind: plan.scheduler === chosen ? 'total' : null, cells: [plan.scheduler,
        seconds(plan.makespan_s), words.count(plan.workers), words.count(plan.rounds), words.signedPercent(plan.gap),
        bars(barSpan(scale, 0, plan.gap, 'var(--accent)'), barMark(scale, 0, 'var(--ink)'))] }));
    return [el('h3', null, 'Schedulers'), scrolled('Schedulers', table(
        'Predicted makespans of all schedulers that apply; bars are by how much they exceed a lower bound of any.',
        [{ name: 'scheduler', text: true }, { name: 'makespan' }, { name: 'workers' }, { name: 'rounds' }, { name: 'over the bound' },
            { name: 'by how much', text: true, wide: true }], rows))];
}

function othersTable(report) {
    if (!report?.others?.length)
        return [];
    const settingOf = (other) => [other.block ? `block ${other.block}` : null, other.threads ? `${other.threads} threads` : null,
        ...Object.entries(other.parameters).map(([name, value]) => `${name} ${value}`)].filter(Boolean).join(', ');
    return [el('h3', null, 'Other settings of the profile'), scrolled('Other settings', table(null,
        [{ name: 'setting', text: true }, { name: 'predicted' }],
        report.others.map((other) => ({ cells: [settingOf(other), words.seconds(other.predicted_s)] }))))];
}

function workersNote(data) {
    const { sweep } = data;
    const chosen = words.count(workersCount(data.plan));
    return sweep ? `Predicted by ${sweep.scheduler} for this job with more workers or fewer of the profile’s kind. The plan has ${
        chosen} (dashed); speed-up times efficiency is greatest with ${words.count(sweep.knee)}.` : null;
}

function workersSection(data) {
    return section('workers', 'How many workers?', workersNote(data),
        ...(data.sweep ? [sweepChart(data.sweep, workersCount(data.plan)),
            costChart(data.sweep, workersCount(data.plan)), sweepTable(data.sweep)] : []),
        ...(data.schedulers?.plans.length ? schedulersTable(data.schedulers, data.plan.scheduler) : []), ...othersTable(data.report));
}
