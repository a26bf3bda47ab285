/* A plot of the document: {t: title, sub: lines below it, one and mean: what single values and the
 * bar of a strip are, share: one scale for all panels, panels}. Of the panels' lines x, y, low, high
 * and single lines are base64 of float32; x is also [first, by, cut, n]: n values equally far apart,
 * of which `cut` at a time are a piece: the mean of y and of single lines, the lowest low and the
 * highest high. A line without its own (at) has its panel's. */

function decodeX(x) {
  if (typeof x === 'string') {
    const values = decodeFloats(x);
    return [values, (i) => number(values[i], 6)];
  }
  const [first, by, cut, n] = x;
  const from = (i) => first + by * i * cut;
  const to = (i) => first + by * (Math.min((i + 1) * cut, n) - 1);
  return [Array.from({ length: Math.ceil(n / cut) }, (item, i) => (from(i) + to(i)) / 2),
    (i) => number(from(i), 6) + (cut > 1 ? ' to ' + number(to(i), 6) : '')];
}

/* Decodes the lines of a panel, once. */
function decodePanel(panel) {
  const first = panel.at && decodeX(panel.at);
  panel.lines.filter((line) => !line.x).forEach((line) => {
    const floats = (text) => text && decodeFloats(text);
    const [x, texts] = line.at ? decodeX(line.at) : first;
    Object.assign(line, { x, texts, m: line.m || LINE, y: floats(line.y), low: floats(line.lo),
      high: floats(line.hi), one: (line.one || []).map(floats) });
  });
}

function drawPanels(box, panels) {
  clear(box, panels.map((panel) => panel.node));
  panels.forEach((panel) => panel.plot.draw());
}

/* A panel with its title and the link to its runs. */
function framedPanel(name, panel, options) {
  const plot = makePanel(name, panel, options);
  return { plot, panel, node: el('figure', { class: 'panel' }, el('figcaption', null,
    el('span', null, panel.t || ''), isAbout(panel.f) && runsLink(panel.f, 'runs')), plot.node) };
}

function legendOf(plot, panels) {
  const strips = panels.some(isStrip);
  const names = new Map(panels.flatMap((panel) => (strips ? [] : panel.lines)
    .filter((line) => line.t).map((line) => [line.t, line.v])));
  const rules = panels.flatMap((panel) => panel.rules.filter((rule) => rule.t && !rule.beside));
  const marks = [...(strips ? [['ring', plot.one], ['mean', plot.mean]] : []),
    ...[...new Set(rules.map((rule) => rule.t))].map((title) => ['rule', title])];
  return legend([...names].sort((a, b) => a[1] - b[1]), marks.filter(([, title]) => title));
}

/* What is not as it was measured, for the page to stay small. */
function noteOf(plot) {
  const lines = plot.panels.flatMap((panel) => panel.lines);
  const cut = [...plot.panels, ...lines].some(({ at }) => Array.isArray(at) && at[2] > 1);
  const dropped = data.dropped && plot.one && !lines.some((line) => line.one.length);
  return (cut || dropped) && el('p', { class: 'note' },
    cut && 'Lines are cut into pieces of equally many values: a line shows the mean over a piece, ' +
      'its band the lowest and the highest value, so no extreme is lost. ',
    dropped && 'Single lines are left out to keep this page small.');
}

/* What a reader may switch: [label, key, whether it is on at first], where there is something. */
function switchesOf(plot) {
  const some = (test) => plot.panels.some((panel) => panel.lines.some(test));
  const axis = (key) => plot.panels.find((panel) => panel[key].canLog);
  return [
    axis('y') && ['Log y', 'yLog', Boolean(axis('y').y.log)],
    axis('x') && ['Log x', 'xLog', Boolean(axis('x').x.log)],
    some((line) => line.low && line.m !== DOTS) && ['Band from lowest to highest', 'band', true],
    some((line) => line.one.length && !line.m) &&
      ['Thin lines' + (plot.one ? ': ' + plot.one : ''), 'single', false],
  ].filter((item) => item);
}

function makePlot(plot, place) {
  const chosen = keptAt(place, 'plot');
  const keys = el('div');
  const panels = el('div', { class: 'panels' });

  function update() {
    const state = { band: true, ...Object.fromEntries(switches.map(([, key, on]) => [key, on])),
      ...chosen };
    const shown = plot.panels.map((panel, i) => {
      const ofRow = plot.panels.slice(0, i + 1).filter((other) => other.t).pop();
      return { ...panel, t: panel.t || (ofRow && ofRow.t),
        lines: panel.lines.filter((line) => isNamed(line.f)) };
    }).filter((panel, i) => isLeft(plot.panels[i]));
    clear(keys, legendOf(plot, shown));
    drawPanels(panels, shown.map((panel) => {
      const isLog = (key) => (panel[key].canLog ? state[key + 'Log'] : panel[key].log);
      const options = { ...state, xLog: isLog('x'), yLog: isLog('y') };
      options.range = rangeOf(plot.share ? shown : [panel],
        isStrip(panel) ? options.xLog : options.yLog);
      return framedPanel([plot.t, panel.t].filter((part) => part).join(', '), panel, options);
    }));
  }

  plot.panels.forEach(decodePanel);
  const switches = switchesOf(plot);
  const node = el('div', null, el('p', { class: 'plot-title' }, el('strong', null, plot.t || ''),
    plot.sub && plot.sub.split('\n').map((line) => [el('br'), line])),
  el('div', { class: 'controls' }, switches.map(([label, key, on]) =>
    check(label, chosen[key] === undefined ? on : chosen[key], (value) => {
      chosen[key] = value;
      update();
    }))), keys, panels, noteOf(plot));
  onFilter(node, update);
  return { node, update };
}
