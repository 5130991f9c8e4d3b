/* A grid in strips: what is predicted of each strip and, of a run, what was measured beside it. */

const STRIP_KINDS = { compute: 'computing', link: 'exchanging borders', idle: 'waiting for borders' };

/* Iterations that the measured times are of. */
function stripsDone(measured) {
    return Math.max(1, measured.iterations - (measured.begun ?? 0));
}

/* What the plan predicts of the iterations and tests that there were: [{name, predicted, measured}], the total last. */
function stripsTimes(plan, measured) {
    const { predicted } = plan, tests = Math.ceil(plan.iterations / plan.every);
    const iterations = measured ? stripsDone(measured) : plan.iterations, share = measured ? measured.tests / tests : 1;
    const rows = [
        { name: words.several(iterations, 'iteration'), predicted: iterations * predicted.step_s, measured: measured && iterations * measured.step_s },
        { name: 'tests', predicted: share * predicted.test_s, measured: measured?.test_s },
        { name: 'the grid to the master', predicted: (plan.keep ? share : 1) * predicted.gather_s, measured: measured?.gather_s }];
    if (measured?.lost_s)
        rows.push({ name: 'lost: done again without a worker', predicted: 0, measured: measured.lost_s });
    return [...rows, { name: 'total', predicted: rows.reduce((sum, row) => sum + row.predicted, 0), measured: measured?.total_s }];
}

function errorOf(predicted, measured) {
    return measured === undefined || measured === null || !(predicted > 0) ? null : measured / predicted - 1;
}

/* ---- the headline ---- */

function stripsLead(plan, measured, total) {
    if (!measured)
        return `${words.several(plan.strips.length, 'strip')} take ${words.seconds(total.predicted)} for ${
            words.several(plan.iterations, 'iteration')} of ${words.seconds(plan.predicted.step_s)} each.`;
    const error = errorOf(plan.predicted.step_s, measured.step_s);
    return `An iteration took ${words.seconds(measured.step_s)} where ${words.seconds(plan.predicted.step_s)} were predicted${
        error === null ? '' : ` (${words.signedPercent(error)})`}.`;
}

function stripsAdvice(plan, measured) {
    if (!measured)
        return plan.keep ? null : 'The grid is written in the end only: with --keep at every test, so that a lost worker costs no more than the iterations since then.';
    if (!measured.complete)
        return 'The run ended before its last iteration: run the same again with --resume.';
    const waits = measured.strips.map((strip) => strip.wait_s), computes = measured.strips.map((strip) => strip.compute_s);
    const most = Math.max(...computes), share = most > 0 ? 1 - Math.min(...computes.filter((seconds) => seconds > 0)) / most : 0;
    return share > 0.1 ? `Workers computed for unlike times (up to ${words.percent(share)} apart), and those that were done waited: calibrate again under the conditions of the run, or plan with --load.`
        : `Workers computed alike, and waited for borders ${words.seconds(Math.max(...waits) / stripsDone(measured))} in an iteration at most.`;
}

function lossesList(measured) {
    if (!measured?.losses?.length)
        return null;
    return el('ul', { class: 'remarks', 'aria-label': 'Lost workers' }, ...measured.losses.map((loss) => el('li', null, words.bound(
        `Lost worker ${loss.rank} after ${words.seconds(loss.at_s)}: ${loss.why}; ${loss.spare ? `worker ${loss.spare} took its place, and all` : 'the others'} went on from iteration ${words.count(loss.from)}.`))));
}

function stripsHeadline({ strips: plan, measured, path }) {
    const times = stripsTimes(plan, measured), total = times[times.length - 1];
    const both = (name, predicted, value) => (measured ? figure(name, words.seconds(value), `${words.seconds(predicted)} predicted`)
        : figure(name, words.seconds(predicted), ''));
    const end = plan.tolerance ? `, ends when no cell changes by more than ${words.short(plan.tolerance)}` : '';
    return [masthead(measured ? `scow report · ${path}` : 'scow plan'),
        el('h1', null, `${plan.kernel} · ${words.count(plan.rows)} × ${words.count(plan.columns)} cells`),
        el('p', { class: 'lead' }, words.bound(stripsLead(plan, measured, total))),
        el('p', { class: 'advice' }, words.bound(stripsAdvice(plan, measured) ?? '')), lossesList(measured), sharedList(plan),
        el('dl', { class: 'figures' }, both('Total', total.predicted, total.measured), both('Iteration', plan.predicted.step_s, measured?.step_s),
            figure('Iterations', words.count(measured ? measured.iterations : plan.iterations), measured
                ? `of ${words.count(plan.iterations)}${measured.begun ? `, the first ${words.count(measured.begun)} before` : ''}` : `tested every ${words.count(plan.every)}${end}`),
            measured ? figure('Last change of a cell', words.short(measured.change), plan.tolerance ? `tolerance ${words.short(plan.tolerance)}` : '') : null,
            measured?.rebalanced ? figure('Other widths', words.several(measured.rebalanced, 'time'), 'as workers became slower') : null,
            figure('Strips', words.count(plan.strips.length), plan.threads ? `${words.several(plan.threads, 'thread')} each` : ''))];
}

/* ---- the strips ---- */

function stripParts(strip, measured, iterations) {
    const part = (colour, seconds) => ({ name: STRIP_KINDS[colour], colour, seconds });
    return { predicted: [part('compute', strip.compute_s), part('link', strip.exchange_s)],
        measured: measured ? [part('compute', measured.compute_s / iterations), part('idle', measured.wait_s / iterations)] : [] };
}

function secondsOf(parts) {
    return parts.reduce((sum, part) => sum + part.seconds, 0);
}

function stripRow(strip, measured, parts, scale, seconds) {
    const [compute, exchange] = parts.predicted, [computed, waited] = parts.measured;
    const stacks = measured ? [...barStack(scale, parts.predicted, 0, 4, 0.6), ...barStack(scale, parts.measured, 5, 10, 1)]
        : barStack(scale, parts.predicted, 3, 10, 1);
    const cells = [String(strip.rank), words.count(measured ? measured.columns : strip.columns), seconds(compute.seconds)];
    return { cells: measured ? [...cells, seconds(computed.seconds), seconds(exchange.seconds), seconds(waited.seconds), bars(...stacks)]
        : [...cells, seconds(exchange.seconds), bars(...stacks)] };
}

function stripsSection({ strips: plan, measured }) {
    const iterations = measured ? stripsDone(measured) : 1;
    const parts = plan.strips.map((strip, k) => stripParts(strip, measured?.strips[k], iterations));
    const scale = barScale(0, Math.max(...parts.flatMap((part) => [secondsOf(part.predicted), secondsOf(part.measured)])));
    const seconds = words.secondsColumn(parts.flatMap((part) => [...part.predicted, ...part.measured].map((one) => one.seconds)));
    const columns = [{ name: 'worker', text: true }, { name: 'columns' }, { name: measured ? 'computing predicted' : 'computing' },
        ...(measured ? [{ name: 'measured' }] : []), { name: measured ? 'exchanging predicted' : 'exchanging' },
        ...(measured ? [{ name: 'waiting measured' }] : []), { name: 'an iteration', text: true, wide: true }];
    const kinds = ['compute', 'link', ...(measured ? ['idle'] : [])];
    return section('strips', 'Strips', `From west to east, an iteration of each${measured ? ': thin above predicted, thick below measured. The run computes while borders travel' : ''}.`,
        el('ul', { class: 'legend', 'aria-label': 'Colours' }, ...kinds.map((kind) => el('li', null, swatch(kind), STRIP_KINDS[kind]))),
        scrolled('Each strip', table(null, columns, plan.strips.map((strip, k) => stripRow(strip, measured?.strips[k], parts[k], scale, seconds)))));
}

/* ---- where the time goes ---- */

function timesRow(row, seconds, scale) {
    const marks = row.measured === undefined ? [barSpan(scale, 0, row.predicted, 'var(--compute)')]
        : [barBox(0, scale(row.predicted), 0, 4, { fill: 'var(--compute)', opacity: 0.6 }), barBox(0, scale(row.measured), 5, 10, { fill: 'var(--compute)' })];
    const cells = row.measured === undefined ? [seconds(row.predicted)]
        : [seconds(row.predicted), seconds(row.measured), words.signedPercent(errorOf(row.predicted, row.measured))];
    return { kind: row.name === 'total' ? 'total' : 'part', cells: [row.name, ...cells, bars(...marks)] };
}

function timesSection({ strips: plan, measured }) {
    const rows = stripsTimes(plan, measured);
    const values = rows.flatMap((row) => [row.predicted, row.measured ?? 0]);
    const seconds = words.secondsColumn(values), scale = barScale(0, Math.max(...values));
    const columns = [{ name: 'part', text: true }, { name: 'predicted' }, ...(measured ? [{ name: 'measured' }, { name: 'error' }] : []),
        { name: 'time', text: true, wide: true }];
    return section('time', 'Where the time goes', measured ? 'Thin above predicted, thick below measured.' : null,
        scrolled('Times', table(null, columns, rows.map((row) => timesRow(row, seconds, scale)))));
}

function stripsPage(data) {
    const sections = [stripsSection(data), timesSection(data),
        section('documents', 'In full', null, documentPart('The plan', data.strips), data.measured ? documentPart('What was measured', data.measured) : null)];
    return [...stripsHeadline(data), contents(sections), ...sections];
}
