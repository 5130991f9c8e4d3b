/* A plan's masters side by side: a row for each. */

/* What has workers and rounds: the stars, or the plan itself. */
function starsOf(plan) {
    return plan.stars ?? [plan];
}

/* Entries of a long list are runs, [first, last]. */
function workersOf(star) {
    return star.workers.flatMap((worker) => (Array.isArray(worker) ? worker : [worker, worker]));
}

function workersCount(plan) {
    return starsOf(plan).reduce((sum, star) => sum + star.workers.reduce((count, worker) =>
        count + (Array.isArray(worker) ? worker[1] - worker[0] + 1 : 1), 0), 0);
}

function roundsCount(plan) {
    return starsOf(plan).reduce((sum, star) => sum + star.rounds.reduce((count, round) => count + round.repeat, 0), 0);
}

function starRow(star) {
    const workers = workersOf(star), rank = (worker) => words.count(worker + 1);
    return { cells: [words.count(star.master ?? 0), `${rank(Math.min(...workers))} to ${rank(Math.max(...workers))}`,
        words.count(star.tasks), words.count(roundsCount(star)), words.seconds(star.predicted.makespan_s),
        words.percent(star.predicted.worker_busy_share), star.scheduler] };
}

function mastersSection(data) {
    const { stars, predicted } = data.plan, ends = stars.map((star) => star.predicted.makespan_s);
    return section('masters', 'Masters', `${words.count(stars.length)} masters side by side, each with workers and a part of the core tasks of `
        + `its own; the first ends at ${words.seconds(Math.min(...ends))}, the last at ${words.seconds(predicted.without_variation_s ?? predicted.makespan_s)}.`,
    scrolled('Masters', table(null, [{ name: 'master' }, { name: 'ranks of workers', text: true }, { name: 'core tasks' }, { name: 'rounds' },
        { name: 'makespan' }, { name: 'busy' }, { name: 'scheduler', text: true }], stars.map(starRow))));
}
