/* What the run computed: slices of an image, or what its core task says of itself. */

function slicePair(pictures) {
    const before = pictures.pictures[0].input ? el('img', { alt: '' }) : null, after = el('img', { alt: '' });
    const caption = el('output', { 'aria-live': 'polite', class: 'soft' });
    const show = (k) => {
        const picture = pictures.pictures[k], name = `slice ${picture.slice + 1} of ${pictures.slices}`;
        after.src = picture.result;
        after.alt = `Result, ${name}`;
        if (before) {
            before.src = picture.input;
            before.alt = `Input, ${name}`;
        }
        caption.textContent = `${name}, ${pictures.columns} × ${pictures.rows} pixels`;
    };
    show(0);
    const figures = [before ? el('figure', null, before, el('figcaption', null, 'input')) : null,
        el('figure', null, after, el('figcaption', null, pictures.note ? `result; ${pictures.note}` : 'result'))];
    return { show, caption, node: el('div', { class: before ? 'pair' : 'pair single' }, figures) };
}

function sliceViewer(pictures) {
    const { show, caption, node } = slicePair(pictures), count = pictures.pictures.length;
    const slider = count > 1 ? el('input', { type: 'range', min: 0, max: count - 1, value: 0, 'aria-label': 'Slice',
        oninput: (event) => show(Number(event.target.value)) }) : null;
    return [el('div', { class: 'tools' }, slider, caption), node];
}

function resultValue(value) {
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/* A reduction's JSON, member by member. */
function resultFacts(result) {
    if (typeof result !== 'object' || result === null || Array.isArray(result))
        return facts([['result', resultValue(result)]]);
    return facts(Object.entries(result).map(([name, value]) => [name, resultValue(value)]));
}

/* What core tasks left in their records, field by field. */
function fieldsTable(fields) {
    return scrolled('Records', table('The numbers in the core tasks’ records.',
        [{ name: 'field', text: true }, { name: 'least' }, { name: 'mean' }, { name: 'greatest' }],
        fields.map(({ field, least, mean, greatest }) => ({ cells: [field, ...[least, mean, greatest].map(words.short)] }))));
}

function resultSection(data) {
    const { report, pictures, fields } = data;
    const done = facts([['core tasks', words.count(report.tasks)], ['done', words.count(report.tasks_done)],
        ['failed', report.tasks_failed > 0 ? words.count(report.tasks_failed) : null], ['checksum', el('code', null, report.checksum)]]);
    return section('result', 'The result', null, ...(pictures ? sliceViewer(pictures) : []),
        report.result === undefined ? null : resultFacts(report.result), pictures ? null : done,
        fields?.length > 0 ? fieldsTable(fields) : null);
}
