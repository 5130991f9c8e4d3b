/* What a reader wants to know first. */

function figure(name, value, aside) {
    return el('div', null, el('dt', null, name), el('dd', null, el('div', { class: 'value' }, value),
        el('div', { class: 'aside' }, aside ?? '')));
}

/* What to do, by the larger part of the error. */
function adviceOf(report) {
    if (!report.complete)
        return 'Not every core task was done: scow run --resume goes on with what is left.';
    if (report.lost_workers?.some((worker) => !worker.left))
        return 'Workers were lost: look at their nodes. Times of this run say little about the plan.';
    if (report.error === null)
        return 'The run left no prediction to compare with: plan with a profile to have one.';
    if (Math.abs(report.error) < 0.1)
        return 'Nothing needs to be done: plans made from this profile hold.';
    if (report.drift !== null && Math.abs(report.drift) >= Math.abs(report.model_error ?? 0))
        return 'Costs were other than at calibration. Let the profile learn from this run '
            + '(scow report OUT.h5 -q --profile better.json), or calibrate again under the conditions of the run.';
    return 'Costs were as calibrated, but the run went other than the simulation: see which waiting is larger than '
        + 'predicted below, and whether something else ran on these nodes.';
}

/* What failed comes before how long it took. */
function failuresLead(report) {
    if (!(report.tasks_failed > 0))
        return null;
    return el('p', { class: 'lead bad' }, `${words.several(report.tasks_failed, 'core task')} of ${words.count(report.tasks)} failed.`);
}

/* The first sentence large, what follows from it small. */
function diagnosis(report) {
    const [first, ...rest] = words.bound(report.explanation).split(/(?<=\.)\s+/);
    return [failuresLead(report), el('p', { class: 'lead' }, first), el('p', { class: 'advice' }, [...rest, adviceOf(report)].join(' '))];
}

/* Where the run lies: "above its interval". */
function intervalSide(report) {
    const [low, high] = report.interval;
    return `${report.measured_s < low ? 'below' : report.measured_s > high ? 'above' : 'inside'} its interval`;
}

function intervalWords(report) {
    if (!report.interval)
        return null;
    const [low, high] = report.interval.map(words.seconds);
    return `90 % of runs between ${low} and ${high}: this one is ${intervalSide(report)}`;
}

/* Below a predicted makespan; the second is there only where it is another. */
function intervalAside(interval, withoutVariation) {
    if (!interval)
        return 'without an interval';
    const between = `${words.seconds(interval[0])} to ${words.seconds(interval[1])}`;
    return withoutVariation ? `${between}; ${words.seconds(withoutVariation)} without variation` : between;
}

/* Predicted interval, predicted and measured makespan on one axis. */
function intervalStrip(report) {
    if (report.predicted_s === null)
        return null;
    const [low, high] = report.interval ?? [report.predicted_s, report.predicted_s];
    const most = 1.06 * Math.max(high, report.measured_s, report.predicted_s);
    const at = (seconds) => `${100 * seconds / most}%`;
    const anchor = (seconds) => (seconds / most > 0.85 ? 'end' : seconds / most < 0.1 ? 'start' : 'middle');
    const label = (seconds, y, text) => svg('text', { x: at(seconds), y, 'text-anchor': anchor(seconds) }, text);
    const picture = svg('svg', { class: 'interval', role: 'img', 'aria-label':
        `Predicted ${words.seconds(report.predicted_s)}, measured ${words.seconds(report.measured_s)}. ${
            intervalWords(report) ?? ''}` });
    picture.append(
        svg('line', { x1: 0, x2: '100%', y1: 27, y2: 27, stroke: 'var(--line)' }),
        svg('rect', { x: at(low), width: at(high - low), y: 20, height: 14, rx: 2, fill: 'var(--band)' }),
        svg('line', { x1: at(report.predicted_s), x2: at(report.predicted_s), y1: 17, y2: 37,
            stroke: 'var(--accent)', 'stroke-width': 2 }),
        svg('circle', { cx: at(report.measured_s), cy: 27, r: 5, fill: 'var(--ink)' }),
        label(report.predicted_s, 50, `predicted ${words.seconds(report.predicted_s)}`),
        label(report.measured_s, 12, `measured ${words.seconds(report.measured_s)}`));
    return picture;
}

/* What was out of the ordinary, a sentence each. */
function remarksOf(report) {
    const own = [];
    if (report.resumed)
        own.push(`Resumed ${report.resumed === 1 ? 'once' : 'more than once'}: this page is about ${
            report.part ? `part ${report.part}` : 'the last part'}, ${words.count(report.resumed_tasks)} of ${
            words.count(report.tasks)} core tasks${report.part ? '; scow report --part N is about another one' : ''}.`);
    if (report.tail)
        own.push(`The end of the plan was assigned on request, by ${report.tail}.`);
    return [...own, ...(report.remarks ?? []).map((remark) => `${words.capital(remark)}.`)];
}

function remarksList(report) {
    const remarks = remarksOf(report);
    return remarks.length === 0 ? null : el('ul', { class: 'remarks', 'aria-label': 'Remarks' },
        ...remarks.map((remark) => el('li', null, words.bound(remark))));
}

function walltimeFigure(report) {
    if (!report.next_walltime_s)
        return figure('Walltime to ask for', '–', report.resumed ? 'resumed: see the plan’s own' : 'the plan predicts nothing');
    return figure('Walltime to ask for', words.walltime(report.next_walltime_s), `next time, at a risk of ${words.percent(report.next_risk)}${
        report.next_pace > 1 ? `, as slow as this run (${words.short(report.next_pace)} ×)` : ''}`);
}

/* What was asked for beside what it came to; null: nothing was. */
function keptWords(kept) {
    return kept === null ? 'not exceeded so far' : kept ? 'kept' : 'exceeded';
}

function deadlineFigure(deadline) {
    return deadline ? figure('Deadline', keptWords(deadline.kept), `${words.seconds(deadline.asked_s)}${
        deadline.from_submission ? ' from submission on' : ''}; ${words.seconds(deadline.predicted_s)} predicted, ${
        words.seconds(deadline.taken_s)} taken`) : null;
}

function chargeFigure(report) {
    return report.charge === undefined ? null : figure('Charge', words.short(report.charge), `${words.short(report.predicted_charge)} predicted${
        report.budget ? `; budget of ${words.short(report.budget)} ${keptWords(report.within_budget)}` : ''}`);
}

function energyFigure(report) {
    const joules = (energy) => `${words.short(energy)} J`;
    return report.energy_j === undefined ? null : figure('Energy', report.energy_j === null ? 'not measured' : joules(report.energy_j),
        report.predicted_energy_j === null ? 'no watts in the profile' : `${joules(report.predicted_energy_j)} predicted`);
}

function runFigures(report, data) {
    const busy = (name, both, aside) => figure(name, words.percent(both.measured),
        [both.predicted === null ? null : `predicted ${words.percent(both.predicted)}`, aside].filter(Boolean).join('; '));
    const working = report.workers.filter((worker) => worker.packages > 0);
    const packages = working.reduce((sum, worker) => sum + worker.packages, 0);
    return el('dl', { class: 'figures' },
        figure('Measured makespan', words.seconds(report.measured_s), `and ${words.seconds(report.finish_s)} to finish`),
        figure('Predicted', words.seconds(report.predicted_s),
            intervalAside(report.interval, report.without_variation_s)),
        figure('Error', words.signedPercent(report.error), `${report.interval ? `${intervalSide(report)}; ` : ''}drift ${words.signedPercent(report.drift)}, model ${
            words.signedPercent(report.model_error)}`),
        walltimeFigure(report), deadlineFigure(report.deadline), chargeFigure(report), energyFigure(report),
        figure('Core tasks done', words.count(report.tasks_done), report.complete && report.tasks_failed === 0
            ? `all, in ${words.count(packages)} packages`
            : `of ${words.count(report.tasks)}, ${words.count(report.tasks_failed)} failed`),
        figure('Workers', words.count(working.length), `${report.scheduler ?? 'unknown scheduler'}, ${report.threads ?? '?'} thread${
            report.threads === 1 ? '' : 's'} each`),
        busy('Workers busy', report.worker_busy_share, `in a period ${words.percent(report.worker_utilization.measured)}`),
        busy('Network busy', report.network_utilization), ...foundFigures(report));
}

/* The first ones that failed, and why. */
function failedList(failed) {
    if (!failed?.failures?.length)
        return null;
    const of = ({ stderr }) => (stderr ?? '').split('\n')[0];
    const row = (one) => ({ cells: [words.count(one.task), one.line, one.reason, one.attempts === null ? null : words.count(one.attempts), of(one)] });
    const more = failed.failed - failed.failures.length;
    return scrolled('Core tasks that failed', table(`${more > 0 ? `The first ${failed.failures.length} that failed; ` : 'All that failed; '}${
        'scow show OUT.h5 --failed lists them with their error output.'}${failed.note ? ` ${words.capital(failed.note)}.` : ''}`,
        [{ name: 'core task', text: true }, { name: 'line', text: true, long: true }, { name: 'why', text: true, long: true }, { name: 'attempts' },
            { name: 'first line of its error output', text: true, long: true }], failed.failures.map(row)));
}

function masthead(words_) {
    return el('div', { class: 'masthead' }, el('span', null, words_), colours.button());
}

function runHeadline(data) {
    const report = data.report;
    return [masthead(`scow report · ${data.path}`),
        el('h1', null, [report.kernel, report.input].filter(Boolean).join(' · ')),
        ...diagnosis(report), failedList(data.failed), remarksList(report),
        runFigures(report, data), intervalStrip(report)];
}

/* What the plan keeps to, and what that comes to. */
function planCosts(plan) {
    const { predicted } = plan, from = predicted.turnaround_s ? ' from submission on' : '';
    return [plan.deadline_s ? figure('Deadline', words.seconds(plan.deadline_s), `${words.seconds(predicted.turnaround_s ?? predicted.makespan_s)} predicted${from}`)
        : predicted.turnaround_s ? figure('From submission on', words.seconds(predicted.turnaround_s), 'with the predicted wait in the queue') : null,
    predicted.charge ? figure('Charge', words.short(predicted.charge), plan.budget ? `of a budget of ${words.short(plan.budget)}` : '') : null,
    plan.objective ? figure('Chosen for', plan.objective, '') : null];
}

/* "7 workers and 11 rounds by optimal, 3 masters side by side, take 1.2 s." */
function planLead(data) {
    const { plan } = data, rounds = roundsCount(plan) ?? data.left_out.rounds;
    const asides = [hasMasters(plan) ? mastersWords(plan) : null, plan.tail ? `the end assigned on request by ${plan.tail}` : null].filter(Boolean);
    return `${words.several(workersCount(plan), 'worker')} and ${words.several(rounds, 'round')} by ${plan.scheduler}${
        asides.map((aside) => `, ${aside}`).join('')}${asides.length > 0 ? ',' : ''} take ${words.seconds(plan.predicted.makespan_s)}.`;
}

function planHeadline(data) {
    const plan = data.plan, predicted = plan.predicted;
    return [masthead('scow plan'), el('h1', null, `${plan.kernel} · ${words.count(plan.tasks)} core tasks`),
        el('p', { class: 'lead' }, words.bound(planLead(data))),
        el('dl', { class: 'figures' },
            figure('Predicted makespan', words.seconds(predicted.makespan_s),
                intervalAside(predicted.interval, predicted.without_variation_s)),
            figure('Walltime to ask for', words.walltime(data.walltime.walltime_s),
                `at a risk of ${words.percent(data.walltime.risk)}`),
            figure('Workers busy', words.percent(predicted.worker_busy_share),
                predicted.worker_utilization > 0 ? `in a period ${words.percent(predicted.worker_utilization)}` : ''),
            predicted.lower_bound_s > 0 ? figure('Over the lower bound', words.signedPercent(predicted.gap),
                `at least ${words.seconds(predicted.lower_bound_s)}${predicted.without_variation_s ? ', without variation' : ''}`) : null, ...planCosts(plan)), sharedList(plan)];
}
