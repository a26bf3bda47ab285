/* Panels of lines, as SVG. The value of every line at one x is read by pointer or by the arrow keys.
 * Lines of one style look alike in all plots of the page, and are drawn or not in all of them. */

const DASHES = ['', '7 3', '2 2', '8 2 2 2', '12 3', '8 2 2 2 2 2', '4 1.5'];
const colourOf = (style) => 'var(--s' + style % 7 + ')';
const dashOf = (style) => DASHES[(style + Math.floor(style / 7)) % 7];
const off = new Set();
const plots = new Set();

function sample(style) {
  return svg('svg', { width: 34, height: 10, 'aria-hidden': 'true' },
    svg('line', { x1: 0, x2: 34, y1: 5, y2: 5, stroke: colourOf(style), 'stroke-width': 2.5,
      'stroke-dasharray': dashOf(style) }));
}

/* entries: [[style, name], ...] */
function legend(entries) {
  const node = el('div', { class: 'legend', role: 'group', 'aria-label': 'Lines that are drawn' });
  for (const [style, name] of entries) {
    node.append(el('button', { type: 'button', 'aria-pressed': String(!off.has(style)),
      'data-style': style,
      onclick: () => {
        off[off.has(style) ? 'delete' : 'add'](style);
        document.querySelectorAll('.legend button').forEach((other) => {
          other.setAttribute('aria-pressed', String(!off.has(Number(other.dataset.style))));
        });
        drawPlots();
      } }, sample(style), name));
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

function logTicks(low, high) {
  const list = [];
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
  const b = map(high) - a || 1;
  return (value) => from + (map(value) - a) / b * (to - from);
}

/* options: {name, x: [values], xText(i), xTicks: [values] or null, xLog, yLog, low, high, xTitle,
 * yTitle, rules: [[at, title]], dots, lines: [{style, name, mean, low, high, seeds}]} */
function makePanel(options) {
  const node = el('div', { class: 'plot', tabindex: 0, role: 'group',
    'aria-label': options.name + '. Left and right arrow keys read the values.' });
  let cursor = null;
  let place = null;

  const shown = () => options.lines.filter((line) => !off.has(line.style));
  const fits = (value) => value !== null && Number.isFinite(value) && (!options.yLog || value > 0);

  function path(values, x, y) {
    let text = '';
    let pen = 'M';
    for (let i = 0; i < values.length && i < options.x.length; i++) {
      if (fits(values[i])) {
        text += pen + x(options.x[i]).toFixed(1) + ' ' + y(values[i]).toFixed(1);
        pen = 'L';
      } else if (!options.dots) {
        pen = 'M';
      }
    }
    return text;
  }

  function bandPath(line, x, y) {
    const at = [...line.low.keys()].filter((i) => fits(line.low[i]) && fits(line.high[i]));
    const point = (values) => (i) => x(options.x[i]).toFixed(1) + ' ' + y(values[i]).toFixed(1);
    return at.length < 2 ? '' : 'M' + at.map(point(line.high)).join('L') + 'L' +
      at.reverse().map(point(line.low)).join('L') + 'Z';
  }

  function drawAxes(root, width, height, box, x, y) {
    const yTicks = options.yLog ? logTicks(options.low, options.high)
      : ticks(options.low, options.high, 6);
    const first = options.x[0];
    const last = options.x[options.x.length - 1];
    const xTicks = options.xTicks ||
      (options.xLog ? logTicks(Math.max(first, 1), last) : ticks(first, last, 5));
    for (const value of yTicks) {
      root.append(svg('line', { class: 'grid', x1: box.left, x2: box.right, y1: y(value),
        y2: y(value) }),
      svg('text', { class: 'axis', x: box.left - 6, y: y(value) + 4, 'text-anchor': 'end' },
        number(value, 3)));
    }
    for (const value of xTicks) {
      root.append(svg('line', { class: 'grid', x1: x(value), x2: x(value), y1: box.top,
        y2: box.bottom }),
      svg('text', { class: 'axis', x: x(value), y: box.bottom + 16, 'text-anchor': 'middle' },
        number(value, 6)));
    }
    root.append(svg('rect', { class: 'frame', x: box.left, y: box.top, width: box.right - box.left,
      height: box.bottom - box.top }),
    svg('text', { x: (box.left + box.right) / 2, y: height - 4, 'text-anchor': 'middle' },
      options.xTitle),
    svg('text', { transform: 'translate(12 ' + (box.top + box.bottom) / 2 + ') rotate(-90)',
      'text-anchor': 'middle' }, options.yTitle));
  }

  function drawLine(group, line, x, y) {
    const stroke = { stroke: colourOf(line.style), fill: 'none' };
    if (line.low) {
      group.append(svg('path', { d: bandPath(line, x, y), fill: colourOf(line.style),
        'fill-opacity': options.dots ? 0 : 0.14 }));
    }
    for (const seed of line.seeds || []) {
      group.append(svg('path', { ...stroke, d: path(seed, x, y), 'stroke-width': 0.8,
        'stroke-opacity': 0.5 }));
    }
    group.append(svg('path', { ...stroke, d: path(line.mean, x, y), 'stroke-width': 2,
      'stroke-dasharray': dashOf(line.style) }));
    for (let i = 0; options.dots && i < line.mean.length; i++) {
      if (!fits(line.mean[i])) {
        continue;
      }
      const at = x(options.x[i]);
      group.append(svg('circle', { cx: at, cy: y(line.mean[i]), r: 3.5,
        fill: colourOf(line.style) }));
      if (line.low && fits(line.low[i]) && fits(line.high[i])) {
        group.append(svg('line', { ...stroke, x1: at, x2: at, y1: y(line.low[i]),
          y2: y(line.high[i]) }));
      }
    }
  }

  function draw() {
    const width = Math.max(node.clientWidth, 240);
    const height = Math.round(Math.min(300, Math.max(210, width * 0.62)));
    const box = { left: 64, right: width - 12, top: 8, bottom: height - 40 };
    const id = 'clip-' + options.name.replace(/\W+/g, '-');
    const first = options.xLog ? Math.max(options.x[0], 1) : options.x[0];
    const x = makeScale(first, options.x[options.x.length - 1],
      box.left + (options.dots ? 14 : 0), box.right - (options.dots ? 14 : 0), options.xLog);
    const y = makeScale(options.low, options.high, box.bottom, box.top, options.yLog);
    const root = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, height,
      'aria-hidden': 'true' });
    const group = svg('g', { 'clip-path': 'url(#' + id + ')' });
    root.append(svg('clipPath', { id }, svg('rect', { x: box.left, y: box.top - 2,
      width: box.right - box.left, height: box.bottom - box.top + 4 })));
    drawAxes(root, width, height, box, x, y);
    root.append(group);
    for (const [at, title] of options.rules) {
      if (!options.yLog || at > 0) {
        group.append(svg('line', { class: 'chance', x1: box.left, x2: box.right, y1: y(at), y2: y(at) },
          svg('title', null, title)));
      }
    }
    shown().forEach((line) => drawLine(group, line, x, y));
    place = { width, box, x, root };
    clear(node, root);
    if (cursor !== null) {
      point(cursor);
    }
  }

  /* Shows the values at the i-th x. */
  function point(i) {
    cursor = i;
    node.querySelectorAll('.tip, .cursor').forEach((old) => old.remove());
    const at = place.x(options.x[i]);
    place.root.append(svg('line', { class: 'cursor', x1: at, x2: at, y1: place.box.top,
      y2: place.box.bottom }));
    const values = shown().filter((line) => fits(line.mean[i])).map((line) => {
      const range = line.low && line.low[i] !== line.high[i]
        ? ' (' + number(line.low[i], 3) + ' to ' + number(line.high[i], 3) + ')' : '';
      return [line, line.name + ' ' + number(line.mean[i], 4) + range];
    });
    const tip = el('div', { class: 'tip' }, el('div', null, el('strong', null, options.xText(i))));
    for (const [line, text] of values) {
      const key = el('span', { class: 'key' });
      key.style.borderTopColor = colourOf(line.style);
      tip.append(el('div', null, key, text));
    }
    node.append(tip);
    const scale = node.clientWidth / place.width;
    const right = at * scale + 12 + tip.offsetWidth > node.clientWidth;
    tip.style.left = Math.max(0, right ? at * scale - 12 - tip.offsetWidth : at * scale + 12) + 'px';
    tip.style.top = '10px';
    return options.name + ', ' + options.xText(i) + ': ' + values.map((v) => v[1]).join(', ');
  }

  function leave() {
    cursor = null;
    node.querySelectorAll('.tip, .cursor').forEach((old) => old.remove());
  }

  function nearest(event) {
    const bounds = node.getBoundingClientRect();
    const at = (event.clientX - bounds.left) / bounds.width * place.width;
    let best = 0;
    for (let i = 1; i < options.x.length; i++) {
      if (Math.abs(place.x(options.x[i]) - at) < Math.abs(place.x(options.x[best]) - at)) {
        best = i;
      }
    }
    return best;
  }

  node.addEventListener('pointermove', (event) => point(nearest(event)));
  node.addEventListener('pointerdown', (event) => point(nearest(event)));
  node.addEventListener('pointerleave', leave);
  node.addEventListener('blur', leave);
  node.addEventListener('keydown', (event) => {
    const n = options.x.length;
    const stride = event.shiftKey ? Math.ceil(n / 20) : 1;
    const step = { ArrowLeft: -stride, ArrowRight: stride, Home: -n, End: n }[event.key];
    if (event.key === 'Escape') {
      leave();
    } else if (step) {
      event.preventDefault();
      const from = cursor === null ? (step > 0 ? -1 : n) : cursor;
      say(point(Math.min(Math.max(from + step, 0), n - 1)));
    }
  });
  const plot = { node, draw };
  plots.add(plot);
  return plot;
}
