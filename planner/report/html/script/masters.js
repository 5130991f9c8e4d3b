/* Several masters, side by side or below each other: whose workers are whose, and a row for each. */

/* Entries of a long list are runs, [first, last]. */
function workersOf(star) {
    return star.workers.flatMap((worker) => (Array.isArray(worker) ? Array.from({ length: worker[1] - worker[0] + 1 }, (_, k) => worker[0] + k) : [worker]));
}

/* The parts of a plan that have workers and rounds: stars, the groups of a tree that have no groups below, or the plan itself; each with
 * its master's rank. */
function starsOf(plan, master = 0) {
    if (plan.stars)
        return plan.stars.map((star) => ({ master: 0, ...star }));
    if (plan.children) {
        const masters = workersOf(plan).map((worker) => worker + 1);
        return plan.children.flatMap((child, k) => starsOf(child, masters[k]));
    }
    return [{ ...plan, master }];
}

function lastRank(star) {
    return 1 + workersOf(star).reduce((a, b) => Math.max(a, b));
}

function isTree(plan) {
    return Boolean(plan?.children);
}

function hasMasters(plan) {
    return Boolean(plan?.stars) || isTree(plan);
}

/* The master above each rank that has another one than rank 0; and who is one, rank 0 left out. */
function mastersOf(plan) {
    const above = new Map(), masters = new Set();
    const go = (part, master) => {
        if (master > 0)
            masters.add(master);
        const ranks = workersOf(part).map((worker) => worker + 1);
        ranks.forEach((rank) => above.set(rank, master));
        part.children?.forEach((child, k) => go(child, ranks[k]));
    };
    if (plan?.stars)
        plan.stars.forEach((star) => go(star, star.master ?? 0));
    else if (isTree(plan))
        go(plan, 0);
    return { above, masters };
}

function workersCount(plan) {
    return starsOf(plan).reduce((sum, star) => sum + star.workers.reduce((count, worker) =>
        count + (Array.isArray(worker) ? worker[1] - worker[0] + 1 : 1), 0), 0);
}

/* Of a part of a plan, or of all of it; null: they are left out of the page. */
function roundsCount(plan) {
    const counts = starsOf(plan).map((star) => (star.rounds?.length > 0 ? star.rounds.reduce((count, round) => count + round.repeat, 0) : null));
    return counts.includes(null) ? null : counts.reduce((a, b) => a + b, 0);
}

/* "3 masters side by side", "2 groups below a master" */
function mastersWords(plan) {
    const count = starsOf(plan).length;
    return isTree(plan) ? `${words.several(count, 'group')} below a master` : `${words.count(count)} masters side by side`;
}

/* ---- as planned ---- */

function ranksWords(star) {
    const ranks = workersOf(star).map((worker) => worker + 1), last = lastRank(star);
    const first = ranks.reduce((a, b) => Math.min(a, b));
    return ranks.length === 1 ? words.count(first) : last - first + 1 === ranks.length ? `${words.count(first)} to ${words.count(last)}`
        : `${words.count(ranks.length)} of ${words.count(first)} to ${words.count(last)}`;
}

/* What groups of a tree are predicted to take is not in the plan. */
function plannedMasters(plan) {
    const stars = starsOf(plan), known = stars.every((star) => star.predicted && !isTree(plan));
    const row = (star) => ({ cells: [words.count(star.master), ranksWords(star), words.count(star.tasks), roundsCount(star) === null ? '–' : words.count(roundsCount(star)),
        ...(known ? [words.seconds(star.predicted.makespan_s), words.percent(star.predicted.worker_busy_share)] : []), star.scheduler] });
    return table(null, [{ name: 'master' }, { name: 'ranks of workers', text: true }, { name: 'core tasks' }, { name: 'rounds' },
        ...(known ? [{ name: 'makespan' }, { name: 'workers busy' }] : []), { name: 'scheduler', text: true }], stars.map(row));
}

function plannedNote(plan) {
    if (isTree(plan))
        return `${mastersWords(plan)}: each has a master of its own, which passes on what it gets.`;
    const ends = starsOf(plan).map((star) => star.predicted?.makespan_s).filter((end) => end !== undefined);
    return `${mastersWords(plan)}, each with workers and a part of the core tasks of its own${ends.length > 0
        ? `; the first ends at ${words.seconds(Math.min(...ends))}, the last at ${words.seconds(Math.max(...ends))}` : ''}.`;
}

/* ---- as measured ---- */

function measuredMasters(rows) {
    const seconds = words.secondsColumn(rows.flatMap((one) => [one.makespan.predicted_s, one.makespan.measured_s]));
    const busy = rows.some((one) => one.master_utilization !== undefined), moved = rows.some((one) => one.given > 0 || one.taken > 0);
    const row = (one) => ({ cells: [words.count(one.rank), words.count(one.workers), words.count(one.tasks), words.count(one.packages),
        seconds(one.makespan.predicted_s), seconds(one.makespan.measured_s), words.signedPercent(one.makespan.error),
        ...(busy ? [words.percent(one.master_utilization)] : []), ...(moved ? [words.count(one.given), words.count(one.taken)] : [])] });
    return table(moved ? 'Given and taken: core tasks that went to other masters’ workers, and came from them.' : null,
        [{ name: 'master' }, { name: 'workers' }, { name: 'core tasks' }, { name: 'packages' }, { name: 'predicted' }, { name: 'measured' },
            { name: 'error' }, ...(busy ? [{ name: 'master busy' }] : []), ...(moved ? [{ name: 'given' }, { name: 'taken' }] : [])], rows.map(row));
}

function measuredNote(plan, rows) {
    const ends = rows.map((one) => one.makespan.measured_s);
    return `${mastersWords(plan)}; the first one’s workers ended after ${words.seconds(Math.min(...ends))}, the last one’s after ${
        words.seconds(Math.max(...ends))}.`;
}

function mastersSection(data) {
    const { plan } = data, rows = data.report?.masters ?? data.report?.groups;
    return section('masters', 'Masters', words.capital(rows ? measuredNote(plan, rows) : plannedNote(plan)),
        scrolled('Each master', rows ? measuredMasters(rows) : plannedMasters(plan)));
}
