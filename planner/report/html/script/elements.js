/* Elements. Whatever comes from data becomes a text node or an attribute, never markup. */

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (name.startsWith('on'))
            node.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
}

function el(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

/* A part of the page with a title, and a line that says how to read it. */
function section(id, title, note, ...children) {
    const head = el('header', null, el('h2', { id: `${id}-title` }, title), note ? el('p', null, words.bound(note)) : null);
    return el('section', { id, 'aria-labelledby': `${id}-title` }, head, ...children);
}

/* Columns: {name, text (left-aligned), wide}; cells: strings or nodes, the first names its row. */
function table(caption, columns, rows) {
    const head = columns.map((column) => el('th', { scope: 'col', class: column.text ? 'text' : null }, column.name));
    const cell = (value, k) => {
        if (k === 0)
            return el('th', { scope: 'row' }, value);
        const kind = columns[k].wide ? 'wide' : columns[k].long ? 'long' : columns[k].text ? 'text' : null;
        return el('td', { class: kind }, value ?? '–');
    };
    const body = rows.map((row) => el('tr', { class: row.kind }, ...row.cells.map(cell)));
    return el('table', null, caption ? el('caption', null, caption) : null,
        el('thead', null, el('tr', null, ...head)), el('tbody', null, ...body));
}

/* What is folded away is made when it is opened: tables can be long. */
function folded(summary, make) {
    const node = el('details', { ontoggle: () => node.childElementCount === 1 && node.append(...[make()].flat()) },
        el('summary', null, summary));
    return node;
}

function scrolled(label, ...children) {
    return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, ...children);
}

function facts(pairs) {
    const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
    return el('dl', { class: 'facts' },
        ...known.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)]));
}

function swatch(name) {
    return el('span', { class: 'swatch', style: `background: var(--${name})`, 'aria-hidden': 'true' });
}
