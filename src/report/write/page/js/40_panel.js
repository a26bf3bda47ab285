/* One panel of a plot, as SVG: {t: title, x and y: axis, rules: [{at, v: vertical, t: title, beside}],
 * note, lines: [{t: name, v: style, m: mark, w: width, x: values, texts: of them, y, low, high, one:
 * [single lines]}]} with numbers, NaN where there is none. An axis is {t: title, low, high, log,
 * canLog, discrete, whole, sign}. The values at a place are read by pointer or by the arrow keys.
 * Lines of one name are drawn or not in all plots of the page. */

const [LINE, DOTS, STRIP] = [0, 1, 2];
const DASHES = ['', '7 3', '2 2', '8 2 2 2', '12 3', '8 2 2 2 2 2', '4 1.5'];
const SOLID = 1000000; /* the first style of lines that are no variants */
const SOLID_COLOURS = ['var(--muted)', 'var(--s1)', 'var(--s6)'];
const colourOf = (style) => SOLID_COLOURS[style - SOLID] || 'var(--s' + style % 7 + ')';
const dashOf = (style) => (style >= SOLID ? '' : DASHES[(style + Math.floor(style / 7)) % 7]);
const ROW = 28; /* of a strip */
const off = new Set();
const plots = new Set();

function sample(style) {
  return svg('svg', { width: 34, height: 10, 'aria-hidden': 'true' },
    svg('line', { x1: 0, x2: 34, y1: 5, y2: 5, stroke: colourOf(style), 'stroke-width': 2.5,
      'stroke-dasharray': dashOf(style) }));
}

/* entries: [[name, style], ...]; marks: [[class of its sample, what it is], ...] */
function legend(entries, marks) {
  const node = el('div', { class: 'legend', role: 'group', 'aria-label': 'Lines that are drawn' });
  for (const [name, style] of entries) {
    node.append(el('button', { type: 'button', 'aria-pressed': String(!off.has(name)),
      'data-line': name,
      onclick: () => {
        off[off.has(name) ? 'delete' : 'add'](name);
        document.querySelectorAll('.legend button').forEach((other) => {
          other.setAttribute('aria-pressed', String(!off.has(other.dataset.line)));
        });
        drawPlots();
      } }, sample(style), name));
  }
  for (const [kind, title] of marks) {
    node.append(el('span', { class: 'mark' }, el('span', { class: kind }), title));
  }
  return node;
}

function drawPlots() {
  for (const plot of plots) {
    if (plot.node.isConnected) {
      plot.draw();
    } else {
      plots.delete(plot);
    }
  }
}

/* ---- scales ---- */

/* 1, 2 or 5 times a power of ten, at most n steps in the range */
function niceStep(range, n) {
  const power = 10 ** Math.floor(Math.log10(range / n));
  return [1, 2, 5, 10].map((i) => i * power).find((step) => range / step <= n);
}

function ticks(low, high, n) {
  const step = niceStep(high - low || 1, n);
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    list.push(Number((i * step).toPrecision(12)));
  }
  return list;
}

/* 1, 2 and 5 of each decade; over a short stretch they would be too few. */
function logTicks(low, high) {
  const list = [];
  if (high / low < 5) {
    return ticks(low, high, 5);
  }
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const i of [1, 2, 5]) {
      const value = Number((i * 10 ** power).toPrecision(6));
      if (value >= low * 0.999 && value <= high * 1.001) {
        list.push(value);
      }
    }
  }
  return list;
}

function makeScale(low, high, from, to, isLog) {
  const map = isLog ? Math.log10 : (value) => value;
  const a = map(low);
  const b = map(high) - a;
  return (value) => from + (b ? (map(value) - a) / b : 0.5) * (to - from);
}

const isStrip = (panel) => panel.lines.some((line) => line.m === STRIP);
const known = (value, isLog) => value !== undefined && (!isLog || value > 0);

/* The ends of the axis of values over some panels: what it says, else where the values end. Values
 * that only differ high up would be one line at the top of an axis from 0, so it begins there only
 * where they come near; and only where it does not, a band may widen it: bands reach far up where
 * training was unsteady. */
function rangeOf(panels, isLog) {
  const strip = isStrip(panels[0]);
  const axis = strip ? panels[0].x : panels[0].y;
  let [low, high, lowest, highest] = [Infinity, -Infinity, Infinity, -Infinity];
  const widen = (value, ofBand) => {
    if (Number.isFinite(value) && (!isLog || value > 0)) {
      [lowest, highest] = [Math.min(lowest, value), Math.max(highest, value)];
      [low, high] = ofBand ? [low, high] : [Math.min(low, value), Math.max(high, value)];
    }
  };
  for (const panel of panels) {
    panel.rules.forEach((rule) => Boolean(rule.v) === strip && widen(rule.at));
    for (const line of panel.lines) {
      line.y.forEach((value) => widen(value));
      [line.low, line.high, ...line.one].forEach((values) =>
        values && values.forEach((value) => widen(value, line.m === LINE)));
    }
  }
  if (!Number.isFinite(lowest)) {
    [lowest, highest] = isLog ? [0.1, 1] : [0, 1];
  }
  [low, high] = low <= high ? [low, high] : [lowest, highest];
  const margin = 0.06 * (highest - lowest);
  const step = niceStep(highest - lowest || 1, 6);
  const begin = Math.floor(lowest / step) * step;
  const ends = isLog ? [low * 0.8, high * 1.3]
    : lowest < 0 || strip ? [lowest - margin, highest + margin]
      : lowest < high / 4 ? [0, high * 1.06] : [begin, highest + 0.06 * (highest - begin || 1)];
  const [bottom, top] = [known(axis.low, isLog) ? axis.low : ends[0],
    known(axis.high, isLog) ? axis.high : ends[1]];
  return bottom < top ? [bottom, top] : [bottom - 0.5, bottom + 0.5];
}

/* Every x of the lines, ascending: [x, how it is read out]. */
function stopsOf(lines) {
  const stops = new Map();
  for (const [x, texts] of new Map(lines.map((line) => [line.x, line.texts]))) {
    x.forEach((value, i) => stops.set(value, texts(i)));
  }
  return [...stops].sort((a, b) => a[0] - b[0]);
}

const signed = (value, axis) => (axis.sign && value > 0 ? '+' : '') + number(value, 6);

/* "QKV 0.998 (0.991 to 1)": the value, and between which it lies. */
function valueText(line, i) {
  const values = [line.low || [], line.high || [], ...(line.low ? [] : line.one)]
    .map((list) => list[i]).filter(Number.isFinite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return line.t + ' ' + number(line.y[i], 4) +
    (low < high ? ' (' + number(low, 3) + ' to ' + number(high, 3) + ')' : '');
}

/* ---- a panel ---- */

let nClip = 0;

/* name: for those who do not see it; options: {xLog, yLog, band, single, range: [low, high] of the
 * values} */
function makePanel(name, panel, options) {
  const node = el('div', { class: 'plot', tabindex: 0, role: 'group',
    'aria-label': name + '. Left and right arrow keys read the values.' });
  const strip = isStrip(panel);
  const isLog = strip ? options.xLog : options.yLog; /* of the values */
  const stops = strip ? panel.lines.map((line) => [line, line.t]) : stopsOf(panel.lines);
  const clip = 'clip-' + nClip++;
  let cursor = null;
  let place = null; /* {box, along, across, root}: along the stops, across the values */

  const shown = () => panel.lines.filter((line) => strip || !off.has(line.t));
  const fits = (value) => Number.isFinite(value) && (!isLog || value > 0);

  function scaleOfX(box) {
    const discrete = new Map(stops.map(([x], i) => [x, i]));
    if (panel.x.discrete) {
      const scale = makeScale(-0.5, stops.length - 0.5, box.left, box.right);
      return (x) => scale(discrete.get(x));
    }
    const values = [...discrete.keys(), ...panel.rules.filter((rule) => rule.v)
      .map((rule) => rule.at)].filter((x) => !options.xLog || x > 0);
    const margin = panel.lines.some((line) => line.m === DOTS) ? 14 : 0;
    const scale = makeScale(
      known(panel.x.low, options.xLog) ? panel.x.low : Math.min(...values),
      known(panel.x.high, options.xLog) ? panel.x.high : Math.max(...values),
      box.left + margin, box.right - margin, options.xLog);
    return (x) => (options.xLog && x <= 0 ? NaN : scale(x));
  }

  /* Dots over one of few values stand beside each other. */
  function shiftOf(line) {
    const n = panel.lines.length;
    const room = 0.8 * (place.box.right - place.box.left) / (n * stops.length);
    return panel.x.discrete ? (panel.lines.indexOf(line) - (n - 1) / 2) * Math.min(5, room) : 0;
  }

  /* Where values of a line stand, null where they do not. */
  function pointsOf(line, values) {
    const shift = strip ? 0 : shiftOf(line);
    return Array.from(values, (value, i) => {
      const at = place.along(strip ? line : line.x[i]) + shift;
      return !fits(value) || !Number.isFinite(at) ? null
        : strip ? [place.across(value), at] : [at, place.across(value)];
    });
  }

  const pair = ([x, y]) => x.toFixed(1) + ' ' + y.toFixed(1);

  function path(points) {
    return points.map((point, i) =>
      (point ? (points[i - 1] ? 'L' : 'M') + pair(point) : '')).join('');
  }

  function drawGrid(root, value, isX, axis, at) {
    const { box } = place;
    root.append(svg('line', isX ? { class: 'grid', x1: at, x2: at, y1: box.top, y2: box.bottom }
      : { class: 'grid', x1: box.left, x2: box.right, y1: at, y2: at }),
    svg('text', { class: 'axis', x: isX ? at : box.left - 6, y: isX ? box.bottom + 16 : at + 4,
      'text-anchor': isX ? 'middle' : 'end' }, signed(value, axis)));
  }

  function drawAxes(root, height, xTicks, x) {
    const { box, across } = place;
    if (strip) {
      panel.lines.forEach((line) => root.append(svg('text', { x: box.left - 8,
        y: place.along(line) + 4, 'text-anchor': 'end' }, line.t)));
    } else {
      (isLog ? logTicks(...options.range) : ticks(...options.range, 6))
        .forEach((value) => drawGrid(root, value, false, panel.y, across(value)));
    }
    let end = -Infinity; /* of the last label */
    for (const value of xTicks.filter((tick) => !panel.x.whole || Number.isInteger(tick))) {
      const half = 3.5 * signed(value, panel.x).length;
      if (x(value) - half > end + 4) {
        drawGrid(root, value, true, panel.x, x(value));
        end = x(value) + half;
      }
    }
    root.append(svg('rect', { class: 'frame', x: box.left, y: box.top, width: box.right - box.left,
      height: box.bottom - box.top }),
    svg('text', { x: (box.left + box.right) / 2, y: height - 4, 'text-anchor': 'middle' },
      panel.x.t || ''),
    svg('text', { transform: 'translate(12 ' + (box.top + box.bottom) / 2 + ') rotate(-90)',
      'text-anchor': 'middle' }, (!strip && panel.y.t) || ''),
    svg('text', { class: 'axis', x: box.right - 6, y: box.top + 14, 'text-anchor': 'end' },
      panel.note || ''));
  }

  function drawRule(group, rule, x) {
    const { box, across } = place;
    const at = rule.v ? x(rule.at) : across(rule.at);
    if (!Number.isFinite(at)) {
      return;
    }
    const isRight = rule.v && at < (box.left + box.right) / 2; /* there is more room */
    group.append(svg('line', { class: !rule.t ? 'frame' : rule.v ? 'chance upright' : 'chance', ...(rule.v
      ? { x1: at, x2: at, y1: box.top, y2: box.bottom }
      : { x1: box.left, x2: box.right, y1: at, y2: at }) }, rule.t && svg('title', null, rule.t)),
    rule.beside && svg('text', { x: rule.v ? at + (isRight ? 6 : -6) : box.right - 6,
      y: rule.v ? box.top + 14 : at - 6, 'text-anchor': isRight ? 'start' : 'end' }, rule.t || ''));
  }

  function drawDots(group, points, look) {
    points.forEach((point) => point &&
      group.append(svg('circle', { cx: point[0], cy: point[1], ...look })));
  }

  /* A row of a strip: rings, spread a little where they would cover each other, and their mean. */
  function drawRow(group, line) {
    const rings = line.one.flatMap((values) => pointsOf(line, values)).filter((point) => point);
    const [mean] = pointsOf(line, line.y);
    drawDots(group, rings.map(([x, y], i) => [x, y + (i - (rings.length - 1) / 2) *
      Math.min(5, 14 / rings.length)]), { class: 'ring', r: 3.5, stroke: colourOf(line.v) });
    if (mean && rings.length !== 1) {
      group.append(svg('line', { stroke: colourOf(line.v), 'stroke-width': 2.2, x1: mean[0], x2: mean[0], y1: mean[1] - 11,
        y2: mean[1] + 11 }));
    }
  }

  function drawLine(group, line) {
    const colour = colourOf(line.v);
    const stroke = { stroke: colour, fill: 'none' };
    const points = pointsOf(line, line.y);
    const alone = points.every((point) => !point); /* it is a band and nothing else */
    const low = line.low ? pointsOf(line, line.low) : [];
    const high = line.high ? pointsOf(line, line.high) : [];
    const both = [...low.keys()].filter((i) => low[i] && high[i]);
    if (line.m === DOTS) {
      both.forEach((i) => group.append(svg('line', { ...stroke, x1: low[i][0], x2: low[i][0],
        y1: low[i][1], y2: high[i][1] })));
    } else if (options.band && both.length > 1) {
      group.append(svg('path', { d: 'M' + both.map((i) => pair(high[i])).join('L') + 'L' +
        both.reverse().map((i) => pair(low[i])).join('L') + 'Z', fill: colour,
      'fill-opacity': alone ? 0.45 : 0.14 }));
    }
    for (const values of line.one) {
      if (line.m === DOTS) {
        drawDots(group, pointsOf(line, values), { r: 2, fill: colour, 'fill-opacity': 0.45 });
      } else if (options.single) {
        group.append(svg('path', { ...stroke, d: path(pointsOf(line, values)), 'stroke-width': 0.8,
          'stroke-opacity': 0.5 }));
      }
    }
    group.append(svg('path', { ...stroke, d: path(points), 'stroke-width': line.w || 2,
      'stroke-opacity': line.w ? 0.6 : 1, 'stroke-dasharray': dashOf(line.v) }));
    const isLone = (i) => !points[i - 1] && !points[i + 1];
    drawDots(group, points.filter((point, i) => line.m === DOTS || isLone(i)),
      { r: line.one.length || line.m !== DOTS ? 2.5 : 3.5, fill: colour });
  }

  function draw() {
    const width = Math.max(node.clientWidth, 240);
    const height = strip ? ROW * panel.lines.length + 48
      : Math.round(Math.min(300, Math.max(210, width * 0.62)));
    const longest = Math.max(...panel.lines.map((line) => (line.t || '').length), 0);
    const box = { left: strip ? Math.min(16 + 7 * longest, width / 2) : 64, right: width - 12,
      top: 8, bottom: height - 40 };
    const values = makeScale(...options.range, strip ? box.left : box.bottom,
      strip ? box.right : box.top, isLog);
    const across = (value) => (isLog && value <= 0 ? NaN : values(value));
    const root = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, height,
      'aria-hidden': 'true' });
    const group = svg('g', { 'clip-path': 'url(#' + clip + ')' });
    const along = strip ? (line) => box.top + (panel.lines.indexOf(line) + 0.5) * ROW : scaleOfX(box);
    const x = strip ? across : along;
    const all = strip ? options.range : [stops[0], stops[stops.length - 1]]
      .map((stop) => (stop ? stop[0] : 0));
    place = { width, box, along, across, root };
    root.append(svg('clipPath', { id: clip }, svg('rect', { x: box.left, y: box.top - 2,
      width: box.right - box.left, height: box.bottom - box.top + 4 })));
    drawAxes(root, height, !strip && (panel.x.discrete || stops.length <= 12)
      ? stops.map(([value]) => value).filter((value) => Number.isFinite(x(value)))
      : options.xLog ? logTicks(all[0] > 0 ? all[0] : 1, all[1]) : ticks(...all, 5), x);
    root.append(group);
    panel.rules.forEach((rule) => drawRule(group, rule, x));
    shown().forEach((line) => (strip ? drawRow : drawLine)(group, line));
    clear(node, root);
    if (cursor !== null) {
      point(cursor);
    }
  }

  /* ---- reading values ---- */

  function leave() {
    cursor = null;
    node.querySelectorAll('.tip, .cursor').forEach((old) => old.remove());
  }

  /* Shows the values at the i-th stop. */
  function point(i) {
    leave();
    cursor = i;
    const [stop, text] = stops[i];
    const { box, root } = place;
    const at = place.along(stop);
    const title = strip ? panel.x.t || '' : ((panel.x.t || '') + ' ' + text).trim();
    if (Number.isFinite(at)) {
      root.append(svg('line', { class: 'cursor', ...(strip
        ? { x1: box.left, x2: box.right, y1: at, y2: at }
        : { x1: at, x2: at, y1: box.top, y2: box.bottom }) }));
    }
    const values = (strip ? [stop] : shown())
      .map((line) => [line, strip ? 0 : Array.prototype.indexOf.call(line.x, stop)])
      .filter(([line, k]) => k >= 0 && fits(line.y[k]))
      .map(([line, k]) => [line, valueText(line, k)]);
    const tip = el('div', { class: 'tip' }, el('div', null, el('strong', null, title)));
    for (const [line, words] of values) {
      const key = el('span', { class: 'key' });
      key.style.borderTopColor = colourOf(line.v);
      tip.append(el('div', null, key, words));
    }
    node.append(tip);
    const scale = node.clientWidth / place.width;
    const from = (strip ? box.left : at) * scale;
    const isRight = from + 12 + tip.offsetWidth > node.clientWidth;
    tip.style.left = Math.max(0, isRight ? from - 12 - tip.offsetWidth : from + 12) + 'px';
    tip.style.top = (strip ? at + ROW / 2 : 10) + 'px';
    return name + ', ' + title + ': ' + values.map((value) => value[1]).join(', ');
  }

  function byPointer(event) {
    const bounds = node.getBoundingClientRect();
    const at = strip ? event.clientY - bounds.top
      : (event.clientX - bounds.left) / bounds.width * place.width;
    const distance = ([stop]) => Math.abs(place.along(stop) - at);
    if (stops.length) {
      point(stops.reduce((best, stop, i) => (distance(stop) < distance(stops[best]) ? i : best), 0));
    }
  }

  node.addEventListener('pointermove', byPointer);
  node.addEventListener('pointerdown', byPointer);
  node.addEventListener('pointerleave', leave);
  node.addEventListener('blur', leave);
  node.addEventListener('keydown', (event) => {
    const n = stops.length;
    const stride = event.shiftKey ? Math.ceil(n / 20) : 1;
    const step = { ArrowLeft: -stride, ArrowRight: stride, Home: -n, End: n }[event.key];
    if (event.key === 'Escape') {
      leave();
    } else if (step && n) {
      event.preventDefault();
      const from = cursor === null ? (step > 0 ? -1 : n) : cursor;
      say(point(Math.min(Math.max(from + step, 0), n - 1)));
    }
  });
  const plot = { node, draw };
  plots.add(plot);
  return plot;
}
