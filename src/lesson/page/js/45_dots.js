/* Seeds as dots on a common scale, one row a variant; their mean is a triangle above them, where it
 * hides none, and a number at the end of the row. */

function niceTicks(low, high) {
  const size = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(size));
  const step = power * [1, 2, 5, 10].find((f) => f * power >= size);
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9; at += step) {
    ticks.push(Math.abs(at) < 1e-12 ? 0 : at);
  }
  return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/* rows: [{label, style, values: [{x, title, chosen}]}]; options: {low, high, zero, label, caption} */
function dots(rows, options) {
  const everything = [].concat(...rows.map((row) => row.values.map((v) => v.x)));
  const low = options.low !== undefined ? options.low : Math.min(...everything, 0);
  const high = options.high !== undefined ? options.high : Math.max(...everything, low + 1e-3);
  const { ticks, digits } = niceTicks(low, high);
  const text = (value) => (options.zero ? signed : fixed)(value, Math.max(digits, options.digits || 0));
  const picture = sized((width) => {
    const scale = fontScale();
    const over = width < 480; /* no room for names beside the dots: they stand above them */
    const left = over ? 0 : Math.max(...rows.map((row) => row.label.length)) * 8.6 * scale + 14;
    const right = 62 * scale;
    const line = (over ? 76 : 60) * scale;
    const above = (over ? 56 : 34) * scale;
    const height = rows.length * line + 34 * scale;
    const at = (x) => left + 14 + (x - low) / (high - low || 1) * (width - left - right - 28);
    const node = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img',
      'aria-label': options.label });
    const every = Math.ceil(44 * scale / (Math.abs(at(ticks[1]) - at(ticks[0])) || 44));
    ticks.filter((tick, i) => i % every === 0).forEach((tick) => node.append(
      svg('line', { class: options.zero && tick === 0 ? 'axis' : 'grid', x1: at(tick), x2: at(tick),
        y1: 4, y2: rows.length * line + 8 }),
      svg('text', { class: 'soft', x: at(tick), y: height - 6, 'text-anchor': 'middle' },
        (options.zero ? signed : fixed)(tick, digits))));
    rows.forEach((row, r) => {
      const y = r * line + above;
      node.append(over ? svg('text', { class: 'halo', x: 0, y: r * line + 18 * scale }, row.label)
        : svg('text', { x: left, y: y + 5 * scale, 'text-anchor': 'end' }, row.label));
      node.append(svg('line', { class: 'grid', x1: left + 8, x2: width - right, y1: y, y2: y }));
      row.values.forEach((value, v) => {
        const dy = (v - (row.values.length - 1) / 2) * Math.min(4.2, 30 / row.values.length) * scale;
        node.append(svg('circle', { cx: at(value.x), cy: y + dy, r: (value.chosen ? 6 : 3.8) * scale,
          fill: value.chosen === false ? 'none' : row.colour, stroke: row.colour, 'stroke-width': 1.4,
          'fill-opacity': 0.5 }, svg('title', null, value.title + ': ' + text(value.x))));
      });
      if (row.values.length > 1) {
        const middle = mean(row.values.map((v) => v.x));
        const m = at(middle);
        const top = y - 28 * scale;
        node.append(svg('path', { fill: 'var(--ink)', d: 'M' + (m - 6 * scale) + ' ' + top + 'h' +
          12 * scale + 'L' + m + ' ' + (top + 9 * scale) + 'Z' }, svg('title', null, t('js.mean') + ': ' +
          text(middle))), svg('text', { x: width, y: y + 5 * scale, 'text-anchor': 'end' }, text(middle)));
      }
    });
    return node;
  });
  const table = makeTable(['', t('js.mean'), t('js.each')], rows.map((row) => [row.label,
    row.values.length ? text(mean(row.values.map((v) => v.x))) : '–',
    row.values.map((v) => text(v.x)).join('  ')]), [1]);
  return el('div', null, picture, el('p', { class: 'axistext' }, options.axis, ' · ', t('js.dots.key')),
    el('details', { class: 'numbers' },
    el('summary', null, t('js.numbers')), table));
}

function seedName(seed) {
  return t('js.seed', { seed });
}

function accuracyRows(task, variants) {
  return variants.map((variant) => ({ label: nameOf(variant),
    colour: 'var(--s' + variant % 7 + ')',
    values: runsOf(task, variant).map((run) => ({ x: run.accuracy, title: seedName(run.seed) })) }))
    .filter((row) => row.values.length);
}

function accuracyDots(task, variants) {
  const rows = accuracyRows(task, variants);
  return rows.length ? dots(rows, { low: 0, high: 1, digits: 3,
    axis: t('js.accuracy', { task: data.tasks[task].title }),
    label: t('js.accuracy', { task: data.tasks[task].title }) }) : el('p', null, t('js.none'));
}

function taskChoice(change) {
  return select(t('js.task'), data.tasks.map((task, i) => [i, task.title]), 0,
    (value) => change(Number(value)));
}
