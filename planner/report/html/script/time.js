/* Where the time went: from predicted to measured makespan, by worker, by round. */

const WORKER_OPERATIONS = ['start', 'receive', 'compute', 'output'], WORKER_KINDS = ['receive', 'compute', 'output', 'idle', 'unexplained'];
const CAUSE_WORDS = { start: 'first package', master: 'the master', port: 'other transfers', buffer: 'others\u2019 buffers',
    transfer: 'own transfer', noise: 'unexplained', end: 'done before others' };
const WORKERS_MOST = 512;

function causeColour(key) {
    return key === 'noise' ? 'unexplained' : 'idle';
}

/* What makes up a worker's makespan, predicted and measured: [{name, colour, predicted, measured}]. */
function partsOf(holder) {
    const part = (name, colour, both) => ({ name, colour, predicted: both.predicted_s, measured: both.measured_s });
    return [...WORKER_OPERATIONS.map((name) => part(name, name, holder.operations[name])),
        ...Object.entries(holder.causes).map(([key, both]) => part(CAUSE_WORDS[key] ?? key, causeColour(key), both))];
}

/* The same of the mean worker: the parts' differences add up to that of the makespan. */
function meanParts(report) {
    const used = (value) => report.workers.filter((worker) => (worker.end[value] ?? 0) > 0).length || 1;
    const predicted = used('predicted_s'), measured = used('measured_s');
    return partsOf(report).map((part) => ({ ...part, measured: part.measured / measured,
        predicted: part.predicted === null ? null : part.predicted / predicted }));
}

/* ---- the waterfall ---- */

/* What runs take more in the median than mean costs come to, whose parts follow: what varied in this run is in theirs. */
function variationParts(report) {
    const more = report.without_variation_s ? report.predicted_s - report.without_variation_s : 0;
    return more === 0 ? [] : [{ name: 'what runs take beyond mean costs', colour: 'unexplained', predicted: more, measured: 0, whole: true }];
}

/* Every step begins where the one before ended. */
function waterfallSteps(report) {
    let at = report.predicted_s;
    return [...variationParts(report), ...meanParts(report)].filter((part) => (part.predicted ?? 0) !== 0 || part.measured > 0).map((part) => {
        const from = at;
        at += part.measured - part.predicted;
        return { ...part, from, to: at };
    });
}

function waterfallScale(report, steps) {
    const values = [report.predicted_s, report.measured_s, ...steps.map((step) => step.to)];
    const low = Math.min(...values), high = Math.max(...values), margin = 0.06 * (high - low) || 1e-9;
    return barScale(low - margin, high + margin);
}

function waterfall(report) {
    const steps = waterfallSteps(report), scale = waterfallScale(report, steps);
    const seconds = words.secondsColumn([report.predicted_s, report.measured_s, ...steps.flatMap((part) => [part.predicted, part.measured])]);
    const difference = report.measured_s - report.predicted_s;
    const total = (name, predicted, measured, value, change) => ({ kind: 'total', cells: [name, predicted, measured,
        change, bars(barMark(scale, value, 'var(--ink)'))] });
    const step = (part) => ({ kind: 'part', cells: [
        el('span', null, swatch(part.colour), WORKER_OPERATIONS.includes(part.name) || part.whole ? part.name : `waits: ${part.name}`),
        seconds(part.predicted), seconds(part.measured), seconds(part.measured - part.predicted, true),
        bars(barMark(scale, part.from, 'var(--line)'),
            barSpan(scale, part.from, part.to, part.to > part.from ? 'var(--bad)' : 'var(--good)'))] });
    return scrolled('From predicted to measured makespan', table('Of the mean worker: what it did and what it waited for makes up the makespan.',
        [{ name: 'part', text: true }, { name: 'predicted' }, { name: 'measured' }, { name: 'difference' },
            { name: 'from predicted to measured makespan', text: true, wide: true }],
        [total('predicted makespan', seconds(report.predicted_s), '', report.predicted_s, ''), ...steps.map(step),
            total('measured makespan', '', seconds(report.measured_s), report.measured_s, seconds(difference, true))]));
}

/* ---- by worker ---- */

function workerRow(worker, scale, seconds, reveal) {
    const parts = partsOf(worker), of = (value) => parts.map((part) => ({ name: `${part.name}, ${value}`,
        colour: part.colour, seconds: part[value] }));
    const name = reveal ? el('button', { type: 'button', class: 'plain', title: 'Show in the chart above',
        onclick: () => reveal(worker.worker) }, String(worker.worker + 1)) : String(worker.worker + 1);
    return { cells: [name, words.count(worker.tasks), words.count(worker.packages), seconds(worker.end.predicted_s),
        seconds(worker.end.measured_s), words.signedPercent(worker.end.error),
        bars(...barStack(scale, of('predicted'), 0, 4, 0.6), ...barStack(scale, of('measured'), 5, 10, 1))] };
}

function workersTable(report, gantt) {
    const shown = report.workers.slice(0, WORKERS_MOST);
    const seconds = words.secondsColumn(shown.flatMap((worker) => [worker.end.predicted_s, worker.end.measured_s]));
    const scale = barScale(0, Math.max(report.measured_s, report.predicted_s ?? 0));
    const more = report.workers.length - shown.length;
    const node = scrolled('Workers', table(
        `Thin above predicted, thick below measured${more > 0 ? `; ${words.count(more)} more are in the JSON` : ''}.`,
        [{ name: 'worker', text: true }, { name: 'core tasks' }, { name: 'packages' }, { name: 'end predicted' },
            { name: 'measured' }, { name: 'error' }, { name: 'time', text: true, wide: true }],
        shown.map((worker) => workerRow(worker, scale, seconds, gantt.reveal))));
    const rows = node.querySelectorAll('tbody tr'), starts = report.operations.start.measured_s > 0 || report.operations.start.predicted_s > 0;
    gantt.follow?.(({ rank }) => rows.forEach((row, k) => row.classList.toggle('marked', shown[k].worker === rank - 1)));
    return [el('h3', null, 'By worker'), legend(starts ? ['start', ...WORKER_KINDS] : WORKER_KINDS), node];
}

/* ---- the master and the links, which overlap with the workers ---- */

function operationsTable(report) {
    const seconds = words.secondsColumn(Object.values(report.operations).flatMap((both) => [both.predicted_s, both.measured_s]));
    const beside = report.output_while_working;
    const row = (name, both, words_) => ({ kind: 'part', cells: [el('span', null, swatch(name), words_ ?? name), seconds(both.predicted_s),
        seconds(both.measured_s), words.signedPercent(both.error), words.signedPercent(both.drift),
        words.signedPercent(both.model_error)] });
    return folded('Sums over all packages, with drift and model error', () => scrolled('Operations', table(null,
        [{ name: 'operation', text: true }, { name: 'predicted' }, { name: 'measured' }, { name: 'error' }, { name: 'drift' },
            { name: 'model' }],
        [...Object.entries(report.operations).filter(([name, both]) => name !== 'start' || both.predicted_s > 0 || both.measured_s > 0).map(([name, both]) => row(name, both)),
            ...(beside ? [row('output', beside, 'output while working')] : [])])));
}

/* ---- by round ---- */

function roundsTable(report) {
    const ends = words.secondsColumn(report.rounds.flatMap((round) => [round.predicted_end_s, round.measured_end_s]));
    const residuals = words.secondsColumn(report.rounds.map((round) => round.residual_s));
    return folded('The rounds in numbers', () => scrolled('Rounds', table(null,
        [{ name: 'round', text: true }, { name: 'predicted end' }, { name: 'measured end' }, { name: 'residual' }],
        report.rounds.map((round) => ({ cells: [String(round.round + 1), ends(round.predicted_end_s),
            ends(round.measured_end_s), residuals(round.residual_s, true)] })))));
}

/* Choosing a round zooms the Gantt chart to it. */
function roundsChart(report, gantt) {
    const say = (k) => {
        const round = report.rounds[k];
        return `round ${round.round + 1}: predicted end ${words.seconds(round.predicted_end_s)}, measured ${
            words.seconds(round.measured_end_s)}, residual ${words.signedSeconds(round.residual_s)}`;
    };
    return lineChart({ label: 'Residuals by round: measured less predicted end', height: 170,
        x: report.rounds.map((round) => round.round + 1), say, choose: gantt.showRound,
        follow: (point) => gantt.follow?.(({ round }) => point(report.rounds.findIndex((one) => one.round === round))),
        xLabel: 'round', help: gantt.showRound ? 'Choosing a round shows it in the chart above.' : '',
        series: [{ values: report.rounds.map((round) => round.residual_s), colour: 'accent', fill: 'band',
            points: report.rounds.length < 60 }] });
}

function roundsPart(report, gantt) {
    if (report.predicted_s === null || report.rounds.length < 2 || report.rounds.every((round) => round.residual_s === null))
        return [roundsTable(report)];
    return [el('h3', null, 'By round: measured less predicted end'), roundsChart(report, gantt), roundsTable(report)];
}

/* ---- a run that went on after it had been stopped: its parts ---- */

function runPartsTable(report) {
    if (!report.parts)
        return [];
    const all = report.in_all, seconds = words.secondsColumn([...report.parts.flatMap((part) => [part.predicted_s, part.measured_s]),
        all.measured_s]);
    const count = (number) => (number === null ? null : words.count(number));
    const row = (part, k) => ({ cells: [String(k + 1), part.began ?? null, count(part.workers), count(part.tasks),
        count(part.again), count(part.packages), seconds(part.predicted_s), seconds(part.measured_s), words.signedPercent(part.error),
        part.outcome] });
    return [el('h3', null, 'Its parts'), scrolled('Parts of the run', table(
        `Between them ${words.seconds(all.between_s)} passed in which nothing was done.`,
        [{ name: 'part', text: true }, { name: 'began', text: true }, { name: 'workers' },
            { name: 'core tasks' }, { name: 'done again later' }, { name: 'packages' }, { name: 'predicted' }, { name: 'took' },
            { name: 'error' }, { name: 'outcome', text: true }],
        [...report.parts.map(row), { kind: 'total', cells: ['in all', '', '', count(all.tasks), count(all.again), count(all.packages),
            seconds(all.predicted_s), seconds(all.measured_s), words.signedPercent(all.error), ''] }]))];
}

/* ---- by core task, where records say how long each took ---- */

function slowestTable(slowest) {
    if (!slowest?.length)
        return [];
    const seconds = words.secondsColumn(slowest.map((one) => one.seconds));
    return [el('h3', null, 'The slowest core tasks'), scrolled('The slowest core tasks', table(null,
        [{ name: 'core task', text: true }, { name: 'line', text: true, long: true }, { name: 'took' }],
        slowest.map((one) => ({ cells: [words.count(one.task), `${one.line ?? '–'}${one.failed ? ' (failed)' : ''}`, seconds(one.seconds)] }))))];
}

/* ---- what was asked for, and what to ask for next time ---- */

function megabytes(bytes) {
    return bytes === null ? '–' : `${words.count(Math.round(bytes / 1e6))} MB`;
}

function requestedSection(report) {
    const { requested, used } = report;
    const time = (seconds) => (seconds === null ? '–' : words.seconds(seconds));
    const share = (key) => (requested[key] && used[key] ? words.percent(used[key] / requested[key]) : '–');
    const row = (name, key, say) => ({ cells: [name, say(requested[key]), say(requested[`predicted_${key}`]), say(used[key]), share(key)] });
    return section('requested', 'Used beside requested', requested.by === 'plan'
        ? 'Requested is what the plan asks for, as no batch system gave anything.' : `Requested: by job ${requested.job} of ${requested.by}.`,
    scrolled('Requested, predicted and used', table(null, [{ name: 'resource', text: true }, { name: 'requested' }, { name: 'predicted' }, { name: 'used' },
        { name: 'of what was requested' }], [row('walltime', 'walltime_s', time), row('processor time', 'processor_s', time),
        row('memory of a node', 'memory_bytes', megabytes)])),
    ...(report.next_request ? [el('h3', null, 'The next request'), ...toCopy(report.next_request)] : []));
}

function timeSection(report, gantt, slowest) {
    const explained = report.predicted_s === null ? null : waterfall(report);
    return section('time', 'Where the time went', null, ...runPartsTable(report), explained, operationsTable(report), ...workersTable(report, gantt),
        ...slowestTable(slowest), ...roundsPart(report, gantt));
}
