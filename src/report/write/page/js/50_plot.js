/* A plot of the document: {t: title, panels: [{t, f, x: {t, log}, y: {t, low, high, log}, x0, dx, n,
 * rules: [[at, title]], lines: [{v: style, t: name, f, y, lo, hi, one: [...]}]}]}. Values are base64
 * of float32; of a long line each is a piece of dx steps: y their mean, lo and hi their extremes. */

function decodeLine(line) {
  if (!line.decoded) {
    line.decoded = { style: line.v, name: line.t, mean: decodeFloats(line.y),
      low: line.lo && decodeFloats(line.lo), high: line.hi && decodeFloats(line.hi),
      seeds: (line.one || []).map(decodeFloats) };
  }
  return line.decoded;
}

/* {low, high} of the y axis: the bounds that the panel gives. It begins at 0 only where a line comes
 * near: early curves would all be one line at the top. */
function panelRange(panel, lines, log) {
  const rules = panel.rules.map((rule) => rule[0]);
  if (panel.y.high !== undefined && panel.y.high <= 1.5) {
    return log ? { low: 0.05, high: 1.1 } : { low: 0, high: panel.y.high };
  }
  let low = Math.min(...rules);
  let high = Math.max(...rules);
  let highest = high; /* of the bands, which reach far up where training was unsteady */
  for (const line of lines) {
    line.mean.forEach((value, i) => {
      const lowest = log || !line.low ? value : line.low[i];
      high = value > high ? value : high;
      highest = Math.max(highest, (line.high ? line.high[i] : value) || 0);
      low = lowest > 0 || (!log && Number.isFinite(lowest)) ? Math.min(low, lowest) : low;
    });
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return { low: 0, high: 1 };
  }
  if (log) {
    return { low: low * 0.8, high: high * 1.3 };
  }
  if (low >= 0 && low < high / 4) {
    return { low: 0, high: high * 1.06 };
  }
  const step = niceStep(highest - low || 1, 6);
  const begin = Math.floor(low / step) * step;
  return { low: begin, high: highest + 0.06 * (highest - begin || 1) };
}

function plotPanel(plot, panel, options) {
  const lines = panel.lines.filter((line) => facetsMatch(line.f)).map(decodeLine);
  const { x0, dx, n } = panel;
  const first = (i) => x0 + i * dx;
  const last = (i) => Math.min(x0 + (i + 1) * dx, x0 + panel.total) - 1;
  const title = panel.t || plot.t;
  const made = makePanel({
    name: panel.y.t + ', ' + title,
    x: Array.from({ length: n }, (item, i) => (first(i) + last(i)) / 2),
    xText: (i) => (dx === 1 ? panel.x.t.split(' ').pop() + ' ' + first(i)
      : 'steps ' + first(i) + ' to ' + last(i)),
    xTicks: n <= 12 && dx === 1 ? Array.from({ length: n }, (item, i) => first(i)) : null,
    xLog: options.xLog, yLog: options.yLog, ...panelRange(panel, lines, options.yLog),
    xTitle: panel.x.t, yTitle: panel.y.t, rules: panel.rules,
    lines: lines.map((line) => ({ ...line, low: options.band && line.low,
      high: options.band && line.high, seeds: options.seeds ? line.seeds : [] })),
  });
  const link = panel.f && hasFacets(panel.f) && runsLink(mergeFacets(plot.f, panel.f), 'runs');
  return { plot: made, node: el('figure', { class: 'panel' },
    el('figcaption', null, el('span', null, title), link), made.node) };
}

function drawPanels(box, panels) {
  clear(box, panels.map((panel) => panel.node));
  panels.forEach((panel) => panel.plot.draw());
}

function legendEntries(panels) {
  const names = new Map();
  panels.forEach((panel) => panel.lines.forEach((line) => names.set(line.v, line.t)));
  return [...names].sort((a, b) => a[0] - b[0]);
}

function makePlot(plot) {
  const state = { xLog: false, yLog: false, band: true, seeds: false };
  const all = (test) => plot.panels.some((panel) => panel.lines.some(test));
  const controls = el('div', { class: 'controls' });
  const keys = el('div');
  const panels = el('div', { class: 'panels' });
  const node = el('div', { class: 'whole-plot' }, controls, keys, panels);
  const toggle = (label, key, shown) => shown && check(label, state[key], (value) => {
    state[key] = value;
    update();
  });

  function update() {
    const shown = plot.panels.filter((panel) => matches(panel.f, plot.t));
    clear(keys, legend(legendEntries(shown)
      .filter(([style]) => filter.variant === '' || style === Number(filter.variant))));
    drawPanels(panels, shown.map((panel) => plotPanel(plot, panel, state)));
  }

  append(controls, [
    toggle('Log y', 'yLog', plot.panels.some((panel) => panel.y.log)),
    toggle('Log x', 'xLog', plot.panels.some((panel) => panel.x.log)),
    toggle('Band from lowest to highest', 'band', all((line) => line.lo)),
    toggle('Single seeds', 'seeds', all((line) => line.one)),
  ]);
  onFilter(node, update);
  return { node, update };
}
