/* Machines that are not one's own: what a plan takes for granted that workers will have of their processors and of the
 * network to them, and what a run found beside that. */

const GB = 1e9;

/* The mean of the workers of whom it is known, the least of them, and what was planned with. */
function foundFigure(name, workers, key, say) {
    const known = workers.filter((worker) => worker[key] > 0);
    const mean = (of) => known.reduce((sum, worker) => sum + of(worker), 0) / known.length;
    if (known.length === 0)
        return null;
    const least = known.reduce((one, other) => other[key] < one[key] ? other : one);
    const planned = known.every((worker) => worker[`${key}_planned`] > 0);
    return figure(name, say(mean((worker) => worker[key])), [
        known.length > 1 ? `worker ${words.count(least.worker + 1)} the least: ${say(least[key])}` : null,
        planned ? `planned with ${say(mean((worker) => worker[`${key}_planned`]))}` : null].filter(Boolean).join('; '));
}

function foundFigures(report) {
    return [foundFigure('Of their processors', report.workers, 'availability', words.percent),
        foundFigure('Network found', report.workers, 'bandwidth', (bytes) => `${words.short(bytes / GB)} GB/s`)];
}

/* As the plan's text says it: of the processors where anything was forecast of them. */
function sharedWords(shared) {
    const ranks = shared.last_rank > shared.first_rank ? `ranks ${words.count(shared.first_rank)} to ${words.count(shared.last_rank)}`
        : `rank ${words.count(shared.first_rank)}`;
    const share = (mean, deviation, what) => `${mean.toFixed(2)} of the ${what} at calibration, give or take ${(deviation ?? 0).toFixed(2)}`;
    const cpu = shared.bandwidth > 0 && shared.share === 1 && shared.deviation === 0 ? null : share(shared.share, shared.deviation, 'processor');
    const network = shared.bandwidth > 0 ? share(shared.bandwidth, shared.bandwidth_deviation, 'bandwidth') : null;
    return `Planned with ${[cpu, network].filter(Boolean).join(', and ')}, ${ranks}.`;
}

function sharedList(plan) {
    return plan.shared?.length ? el('ul', { class: 'remarks', 'aria-label': 'What others leave' },
        ...plan.shared.map((shared) => el('li', null, sharedWords(shared)))) : null;
}
