/* Workers that joined a run while it went on: the first ones, and all others together. */

const JOINED_TOLD = 20;

function joinedRow(worker) {
    const gone = worker.lost_s ?? worker.left_s;
    return { kind: worker.lost_s === undefined ? null : 'marked', cells: [words.count(worker.worker + 1), worker.host, words.seconds(worker.joined_s),
        words.count(worker.tasks), words.count(worker.packages), gone === undefined ? '–' : words.seconds(gone),
        worker.why === undefined ? 'stayed until the end' : `${worker.lost_s === undefined ? 'left' : 'lost'}: ${worker.why}`] };
}

function joinedOthers(others) {
    const sum = (member) => others.reduce((all, worker) => all + worker[member], 0);
    const of = (kind) => others.filter((worker) => worker[kind] !== undefined).length;
    return { kind: 'total', cells: [`${words.count(others.length)} more`, '', '', words.count(sum('tasks')), words.count(sum('packages')), '',
        `${words.count(of('left_s'))} left, ${words.count(of('lost_s'))} lost`] };
}

function joinedSection(report) {
    const workers = report.joined_workers, told = workers.length > JOINED_TOLD + 1 ? JOINED_TOLD : workers.length;
    const rows = workers.slice(0, told).map(joinedRow);
    return section('joined', 'Workers that joined', `${words.several(workers.length, 'worker')} joined while the run went on; its time begins with the first.`,
        scrolled('Each of them', table(null, [{ name: 'worker' }, { name: 'machine', text: true }, { name: 'joined after' }, { name: 'core tasks' },
            { name: 'packages' }, { name: 'gone after' }, { name: 'why', text: true }],
        told < workers.length ? [...rows, joinedOthers(workers.slice(told))] : rows)));
}
