/* Several runs side by side, the fastest first. */

function comparedRow(run, scale) {
    const { report } = run, parts = meanParts(report);
    const of = (value) => parts.map((part) => ({ name: `${part.name}, ${value}`, colour: part.colour, seconds: part[value] ?? 0 }));
    return { cells: [run.path, report.scheduler, words.count(report.workers.filter((worker) => worker.packages > 0).length),
        words.seconds(report.predicted_s), words.seconds(report.measured_s), words.signedPercent(report.error),
        words.signedPercent(report.drift), words.signedPercent(report.model_error), words.percent(report.worker_busy_share.measured),
        bars(...barStack(scale, of('predicted'), 0, 4, 0.6), ...barStack(scale, of('measured'), 5, 10, 1))] };
}

function comparisonSection(runs) {
    const scale = barScale(0, Math.max(...runs.map((run) => Math.max(run.report.measured_s, run.report.predicted_s ?? 0))));
    return section('runs', 'Side by side', 'The time of each run’s mean worker: thin above predicted, thick below measured.',
        legend(WORKER_KINDS), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs' }, table(null,
            [{ name: 'run', text: true }, { name: 'scheduler', text: true }, { name: 'workers' }, { name: 'predicted' }, { name: 'measured' },
                { name: 'error' }, { name: 'drift' }, { name: 'model' }, { name: 'busy' }, { name: 'time', text: true, wide: true }],
            runs.map((run) => comparedRow(run, scale)))));
}

/* What each run says of itself. */
function explanationsSection(runs) {
    return section('reasons', 'Why', null, ...runs.flatMap((run) => [el('h3', null, run.path), el('p', null, run.report.explanation)]));
}

function comparisonPage(data) {
    const runs = [...data.runs].sort((a, b) => a.report.measured_s - b.report.measured_s), [best] = runs;
    return [masthead('scow report --compare'), el('h1', null, `${runs.length} runs`),
        el('p', { class: 'lead' }, `${best.path} was the fastest, with ${words.seconds(best.report.measured_s)} by ${best.report.scheduler}.`),
        comparisonSection(runs), explanationsSection(runs),
        section('documents', 'In full', null, ...runs.map((run) => documentPart(run.path, run.report)))];
}
