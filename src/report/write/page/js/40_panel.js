/* One panel of a plot, as SVG: {t: title, x and y: axis, rules: [{at, v: vertical, t: title,
 * beside}], note, lines: [{t: name, v: style, m: mark, w: width, x: values, texts: (i) => of the i-th,
 * y, low, high, one: [single lines]}]} with numbers, NaN where there is none. An axis is {t: title,
 * low, high, log, canLog, discrete, whole, sign}. The values at a place are read by pointer or by the
 * arrow keys. Lines of one name are drawn or not in all plots of the page. */

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
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 },
    (item, i) => first + i);
  return high / low < 5 ? ticks(low, high, 5)
    : decades.flatMap((decade) => [1, 2, 5].map((digit) => Number(digit + 'e' + decade)))
      .filter((value) => value >= low * 0.999 && value <= high * 1.001);
}

/* Where a value stands; not finite where it does not. */
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
  const margin = 0.06 * ((known(axis.high, isLog) ? axis.high : highest) -
    (known(axis.low, isLog) ? axis.low : lowest));
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

/* most: from what on a value has no room for all its digits */
const signed = (value, axis, most) => (axis.sign && value > 0 ? '+' : '') +
  (Math.abs(value) < most ? number(value, 6) : Number(value.toPrecision(3)).toExponential());

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
  let place = null; /* {width, box, along, across, root}: along the stops, across the values */

  const shown = () => panel.lines.filter((line) => strip || !off.has(line.t));

  function scaleOfX(box) {
    const places = new Map(stops.map(([x], i) => [x, i]));
    if (panel.x.discrete) {
      const scale = makeScale(-0.5, stops.length - 0.5, box.left, box.right);
      return (x) => scale(places.get(x));
    }
    const values = [...places.keys(), ...panel.rules.filter((rule) => rule.v)
      .map((rule) => rule.at)].filter((x) => !options.xLog || x > 0);
    const margin = panel.lines.some((line) => line.m === DOTS) ? 14 : 0;
    return makeScale(
      known(panel.x.low, options.xLog) ? panel.x.low : Math.min(...values),
      known(panel.x.high, options.xLog) ? panel.x.high : Math.max(...values),
      box.left + margin, box.right - margin, options.xLog);
  }

  /* Dots over one of few values stand beside each other. */
  function shiftOf(line) {
    const n = panel.lines.length;
    const room = 0.8 * (place.box.right - place.box.left) / (n * stops.length);
    return panel.x.discrete ? (panel.lines.indexOf(line) - (n - 1) / 2) * Math.min(5, room) : 0;
  }

  /* Where values of a line stand, null where they do not. */
  function pointsOf(line, values) {
    const shift = shiftOf(line);
    return Array.from(values, (value, i) => {
      const point = strip ? [place.across(value), place.along(line)]
        : [place.along(line.x[i]) + shift, place.across(value)];
      return point.every(Number.isFinite) ? point : null;
    });
  }

  /* ---- drawing ---- */

  const pair = ([x, y]) => x.toFixed(1) + ' ' + y.toFixed(1);
  const path = (points) => points.map((point, i) =>
    (point ? (points[i - 1] ? 'L' : 'M') + pair(point) : '')).join('');

  /* A line through the whole panel, at an x or at a y. */
  function through(isX, at, kind, ...children) {
    const { box } = place;
    return svg('line', { class: kind, ...(isX ? { x1: at, x2: at, y1: box.top, y2: box.bottom }
      : { x1: box.left, x2: box.right, y1: at, y2: at }) }, children);
  }

  const write = (x, y, anchor, text, kind) =>
    svg('text', { class: kind, x, y, 'text-anchor': anchor }, text || '');

  function drawAxes(root, height, xTicks, x) {
    const { box, across, along } = place;
    const middle = (box.top + box.bottom) / 2;
    let end = -Infinity; /* of the last label */
    const yTicks = isLog ? logTicks(...options.range) : ticks(...options.range, 6);
    for (const value of strip ? [] : yTicks) {
      root.append(through(false, across(value), 'grid'),
        write(box.left - 6, across(value) + 4, 'end', signed(value, panel.y, 1e5), 'axis'));
    }
    for (const value of xTicks.filter((tick) => !panel.x.whole || Number.isInteger(tick))) {
      const text = signed(value, panel.x, 1e7);
      if (x(value) - 3.5 * text.length > end + 4) {
        root.append(through(true, x(value), 'grid'),
          write(x(value), box.bottom + 16, 'middle', text, 'axis'));
        end = x(value) + 3.5 * text.length;
      }
    }
    append(root, [strip && panel.lines.map((line) =>
      write(box.left - 8, along(line) + 4, 'end', line.t)),
    svg('rect', { class: 'frame', x: box.left, y: box.top, width: box.right - box.left,
      height: box.bottom - box.top }),
    write((box.left + box.right) / 2, height - 4, 'middle', panel.x.t),
    !strip && setAttributes(write(0, 0, 'middle', panel.y.t),
      { transform: 'translate(12 ' + middle + ') rotate(-90)' }),
    write(box.right - 6, box.top + 14, 'end', panel.note, 'axis')]);
  }

  function drawRule(group, rule, x) {
    const { box, across } = place;
    const at = rule.v ? x(rule.at) : across(rule.at);
    const isRight = rule.v && at < (box.left + box.right) / 2; /* there is more room */
    if (Number.isFinite(at)) {
      append(group, [through(rule.v, at, !rule.t ? 'frame' : rule.v ? 'chance upright' : 'chance',
        rule.t && svg('title', null, rule.t)),
      rule.beside && write(rule.v ? at + (isRight ? 6 : -6) : box.right - 6,
        rule.v ? box.top + 14 : at - 6, isRight ? 'start' : 'end', rule.t)]);
    }
  }

  function drawDots(group, points, look) {
    points.forEach((point) => point &&
      group.append(svg('circle', { cx: point[0], cy: point[1], ...look })));
  }

  /* A row of a strip: rings, spread a little where they would cover each other, and their mean. */
  function drawRow(group, line) {
    const rings = line.one.flatMap((values) => pointsOf(line, values)).filter((point) => point);
    const [mean] = pointsOf(line, line.y);
    const stroke = colourOf(line.v);
    drawDots(group, rings.map(([x, y], i) => [x, y + (i - (rings.length - 1) / 2) *
      Math.min(5, 14 / rings.length)]), { class: 'ring', r: 3.5, stroke });
    if (mean && rings.length !== 1) {
      group.append(svg('line', { stroke, 'stroke-width': 2.2, x1: mean[0], x2: mean[0],
        y1: mean[1] - 11, y2: mean[1] + 11 }));
    }
  }

  function drawLine(group, line) {
    const colour = colourOf(line.v);
    const points = pointsOf(line, line.y);
    const low = pointsOf(line, line.low || []);
    const high = pointsOf(line, line.high || []);
    const both = [...low.keys()].filter((i) => low[i] && high[i]);
    const isDots = line.m === DOTS;
    const isLone = (i) => !points[i - 1] && !points[i + 1];
    const stroke = (d, width, opacity, dashes) => svg('path', { d, stroke: colour, fill: 'none',
      'stroke-width': width, 'stroke-opacity': opacity, 'stroke-dasharray': dashes });
    if (isDots) {
      both.forEach((i) => group.append(stroke('M' + pair(low[i]) + 'L' + pair(high[i]), 1)));
    } else if (options.band && both.length > 1) {
      group.append(svg('path', { d: 'M' + both.map((i) => pair(high[i])).join('L') + 'L' +
        both.reverse().map((i) => pair(low[i])).join('L') + 'Z', fill: colour,
      'fill-opacity': points.some((point) => point) ? 0.14 : 0.45 }));
    }
    for (const single of line.one.map((values) => pointsOf(line, values))) {
      if (isDots) {
        drawDots(group, single, { r: 2, fill: colour, 'fill-opacity': 0.45 });
      } else if (options.single) {
        group.append(stroke(path(single), 0.8, 0.5));
      }
    }
    group.append(stroke(path(points), line.w || 2, line.w ? 0.6 : 1, dashOf(line.v)));
    drawDots(group, points.filter((point, i) => isDots || isLone(i)),
      { r: isDots && !line.one.length ? 3.5 : 2.5, fill: colour });
  }

  function draw() {
    const width = Math.max(node.clientWidth, 240);
    const height = strip ? ROW * panel.lines.length + 48
      : Math.round(Math.min(300, Math.max(210, width * 0.62)));
    const longest = Math.max(...panel.lines.map((line) => (line.t || '').length), 0);
    const box = { left: strip ? Math.min(16 + 7 * longest, width / 2) : 64, right: width - 12,
      top: 8, bottom: height - 40 };
    const root = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, height,
      'aria-hidden': 'true' });
    const group = svg('g', { 'clip-path': 'url(#' + clip + ')' });
    const across = makeScale(...options.range, strip ? box.left : box.bottom,
      strip ? box.right : box.top, isLog);
    const along = strip ? (line) => box.top + (panel.lines.indexOf(line) + 0.5) * ROW : scaleOfX(box);
    const x = strip ? across : along;
    const all = stops.map(([stop]) => stop).filter((stop) => Number.isFinite(along(stop)));
    const ends = strip ? options.range : [all[0], all[all.length - 1]];
    place = { width, box, along, across, root };
    root.append(svg('clipPath', { id: clip }, svg('rect', { x: box.left, y: box.top - 2,
      width: box.right - box.left, height: box.bottom - box.top + 4 })));
    drawAxes(root, height, !strip && (panel.x.discrete || all.length <= 12) ? all
      : options.xLog ? logTicks(...ends) : ticks(...ends, 5), x);
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
    const at = place.along(stop);
    const title = ((panel.x.t || '') + ' ' + (strip ? '' : text)).trim();
    if (Number.isFinite(at)) {
      place.root.append(through(!strip, at, 'cursor'));
    }
    const values = (strip ? [stop] : shown())
      .map((line) => [line, strip ? 0 : Array.prototype.indexOf.call(line.x, stop)])
      .filter(([line, k]) => k >= 0 && Number.isFinite(place.across(line.y[k])))
      .map(([line, k]) => [line, valueText(line, k)]);
    const tip = el('div', { class: 'tip' }, el('div', null, el('strong', null, title)));
    for (const [line, words] of values) {
      const key = el('span', { class: 'key' });
      key.style.borderTopColor = colourOf(line.v);
      tip.append(el('div', null, key, words));
    }
    node.append(tip);
    const scale = node.clientWidth / place.width;
    const from = (strip ? place.box.left : at) * scale;
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
