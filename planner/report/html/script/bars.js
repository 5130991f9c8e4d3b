/* Bars within the rows of a table: the table is the chart. */

/* A scale of percentages from `low` to `high`. */
function barScale(low, high) {
    const length = high - low || 1;
    return (value) => 100 * (value - low) / length;
}

function barBox(x, width, y, height, attributes) {
    return svg('rect', { x: `${x}%`, width: `${Math.max(width, 0.15)}%`, y, height, ...attributes });
}

/* From one value to another, whichever is larger. */
function barSpan(scale, from, to, fill) {
    const a = scale(Math.min(from, to)), b = scale(Math.max(from, to));
    return barBox(a, b - a, 3, 10, { fill, rx: 1 });
}

function barMark(scale, value, stroke) {
    return svg('line', { x1: `${scale(value)}%`, x2: `${scale(value)}%`, y1: 0, y2: 16, stroke, 'stroke-width': 2 });
}

/* Parts side by side: [{name, seconds}], colours by name. */
function barStack(scale, parts, y, height, opacity) {
    let at = 0;
    return parts.filter((part) => part.seconds > 0).map((part) => {
        const box = barBox(scale(at), scale(at + part.seconds) - scale(at), y, height,
            { fill: `var(--${part.colour})`, opacity });
        box.append(svg('title', null, `${part.name}: ${words.seconds(part.seconds)}`));
        at += part.seconds;
        return box;
    });
}

function bars(...shapes) {
    return svg('svg', { 'aria-hidden': 'true' }, ...shapes);
}
