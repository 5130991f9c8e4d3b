/* What one master can feed: how many workers the job is worth, and the periods that keep some of them and its port busy without a gap. */

/* As the plan's table says it, without its label. */
function choiceWords(choice) {
    const perfect = choice.pwu_workers ? `${words.seconds(choice.pwu_makespan_s)} with ${words.several(choice.pwu_workers, 'worker')}` : null;
    if (choice.send_s_per_task)
        return `Sending a core task takes ${words.seconds(choice.send_s_per_task)} and computing it ${words.seconds(choice.compute_s_per_task)}: more than one worker brings no more core tasks per second.`;
    if (choice.mp_workers > choice.workers)
        return `The cluster has fewer workers (${words.count(choice.workers)}) than one master could use (${words.count(choice.mp_workers)}), which would take ${
            words.seconds(choice.mp_makespan_s)}.${perfect ? ` With every worker always busy the job takes ${perfect}.` : ''}`;
    return `One master uses ${words.count(choice.mp_workers)} of ${words.several(choice.workers, 'worker')}, and production takes ${words.seconds(choice.mp_makespan_s)}, with workers ${
        words.percent(choice.mp_worker_utilization)} busy in a period.${perfect ? ` Perfect utilization takes ${perfect}.` : ''}`;
}

/* The first order of the window with the most pairs: the greatest packages of the last one that has as many. */
function pairsShown(windows) {
    const listed = windows.map((window) => ({ window, pairs: window.orders[0].pairs }));
    return listed.reduce((most, next) => (next.pairs.length >= most.pairs.length ? next : most));
}

function packageWords(pair) {
    const [least, greatest] = pair.loads;
    return least === greatest ? words.short(least) : `${words.short(least)} to ${words.short(greatest)}`;
}

function pairWords(pair) {
    return `${words.several(pair.workers, 'worker')}: periods of ${words.seconds(pair.period_s)}, packages of ${packageWords(pair)}, ${
        words.short(pair.tasks_per_s)} core tasks a second${pair.in_window ? '' : ', which the profile has no costs of'}`;
}

function pairsChart(pairs) {
    const periods = pairs.map((pair) => pair.period_s), only = (inside) => pairs.map((pair) => (pair.in_window === inside ? pair.period_s : null));
    return lineChart({ label: 'Period by number of workers', height: 240, x: pairs.map((pair) => pair.workers), xLabel: 'workers', yLabel: 'period',
        logY: wide(periods), yFrom0: !wide(periods), say: (k) => pairWords(pairs[k]),
        series: [{ values: periods, colour: 'line', width: 1.5 }, { values: only(true), colour: 'accent', pointsOnly: true },
            { values: only(false), colour: 'soft', pointsOnly: true }] });
}

function pairsTable(pairs) {
    const seconds = words.secondsColumn(pairs.map((pair) => pair.period_s));
    return folded('The numbers', () => scrolled('Perfect pairs', table(null,
        [{ name: 'workers' }, { name: 'period' }, { name: 'package' }, { name: 'core tasks a second' }, { name: 'measured', text: true }],
        pairs.map((pair) => ({ cells: [words.count(pair.workers), seconds(pair.period_s), packageWords(pair), words.short(pair.tasks_per_s),
            pair.in_window ? 'yes' : 'no'] })))));
}

function feedingSection(data) {
    const { pairs } = pairsShown(data.pairs.windows), choice = data.plan.choice;
    const note = [choice ? choiceWords(choice) : null,
        pairs.length > 0 ? 'Below, for each number of workers the period in which they compute without a gap, and so does the port.'
            : 'No period keeps workers and the port busy without a gap.'].filter(Boolean).join(' ');
    return section('feeding', 'What one master can feed', note, ...pairs.length > 0 ? [pairsChart(pairs), pairsTable(pairs)] : []);
}
