/* Grids of numbers as canvases with the value under the pointer; the arrow keys move over a focused
 * one. A sheet is {t, top, scale, down, right, labels, dims: [{t, labels, mean}], panels: [{r: row
 * title, c: column title, f, note, id: run folder, n, d: base64 of bytes, m: numbers}]}. A byte is 255
 * times the root of value / top, since most values are small; the last dimension is the innermost. */

function colourAt(share) {
  const n = data.colours.length - 1;
  const at = Math.min(Math.max(share, 0), 1) * n;
  const below = Math.min(Math.floor(at), n - 1);
  return [0, 1, 2].map((i) => Math.round(data.colours[below][i] +
    (data.colours[below + 1][i] - data.colours[below][i]) * (at - below)));
}

/* value(i, j) is divided by top; text(i, j) is what a reader sees of a place. */
function makeMap(n, name, value, text) {
  const canvas = el('canvas', { width: n, height: n, tabindex: 0, role: 'img',
    'aria-label': name + '. Arrow keys read the values.' });
  const out = el('div', { class: 'value' });
  let place = null;

  function draw(top) {
    const context = canvas.getContext('2d');
    const image = context.createImageData(n, n);
    for (let i = 0; i < n * n; i++) {
      const [r, g, b] = colourAt(value(Math.floor(i / n), i % n) / top);
      image.data.set([r, g, b, 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    if (place) {
      out.textContent = text(...place);
    }
  }

  function show(i, j) {
    place = [i, j];
    out.textContent = text(i, j);
  }

  const byPointer = (event) => {
    const bounds = canvas.getBoundingClientRect();
    const at = (position, start, size) =>
      Math.min(Math.max(Math.floor((position - start) / size * n), 0), n - 1);
    show(at(event.clientY, bounds.top, bounds.height), at(event.clientX, bounds.left, bounds.width));
  };
  canvas.addEventListener('pointermove', byPointer);
  canvas.addEventListener('pointerdown', byPointer);
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key];
    if (step) {
      event.preventDefault();
      const [i, j] = place ? [place[0] + step[0], place[1] + step[1]] : [0, 0];
      show(Math.min(Math.max(i, 0), n - 1), Math.min(Math.max(j, 0), n - 1));
      say(out.textContent);
    }
  });
  return { canvas, out, draw };
}

function colourBar(text) {
  const canvas = el('canvas', { class: 'bar-canvas', width: 128, height: 1, role: 'img',
    'aria-label': 'Colour scale' });
  const context = canvas.getContext('2d');
  const image = context.createImageData(128, 1);
  for (let i = 0; i < 128; i++) {
    image.data.set([...colourAt(i / 127), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return el('div', { class: 'scale' }, el('span', null, '0'), canvas, text);
}

/* The values of a panel at chosen places of the dimensions (-1: the mean over it), as (i, j). */
function panelValues(sheet, panel, at) {
  panel.bytes = panel.bytes || decodeBytes(panel.d);
  const size = panel.n * panel.n;
  let planes = [0];
  sheet.dims.forEach((dim, k) => {
    const chosen = at[k] < 0 ? dim.labels.map((label, i) => i) : [at[k]];
    planes = planes.flatMap((plane) => chosen.map((i) => plane * dim.labels.length + i));
  });
  const one = (plane, i, j) => (panel.bytes[plane * size + i * panel.n + j] / 255) ** 2 * sheet.top;
  return (i, j) => planes.reduce((sum, plane) => sum + one(plane, i, j), 0) / planes.length;
}

function sheetCard(sheet, panel, at) {
  const values = panelValues(sheet, panel, at);
  const label = (i) => (sheet.labels ? sheet.labels[i] : i);
  const name = [panel.r, panel.c].filter((part) => part).join(', ') || sheet.t;
  const text = (i, j) => (panel.m
    ? label(i) + ' taken for ' + label(j) + ': ' + panel.m[i * panel.n + j] + ' (' +
      (100 * values(i, j)).toFixed(1) + ' %)'
    : sheet.down + ' ' + label(i) + ' \u2192 ' + sheet.right + ' ' + label(j) + ': p\u00a0=\u00a0' +
      values(i, j).toFixed(3));
  const map = makeMap(panel.n, sheet.t + ', ' + name, values, text);
  let top = 0;
  for (let i = 0; i < panel.n ** 2; i++) {
    top = Math.max(top, values(Math.floor(i / panel.n), i % panel.n));
  }
  const dims = sheet.dims.length && sheet.dims[0].labels.length > 1
    ? ', ' + sheet.dims[0].t + ' ' + sheet.dims[0].labels[at[0]] : '';
  return { map, top, node: el('figure', { class: sheet.dims.length ? 'card' : 'card wide' },
    el('figcaption', null, el('strong', { title: name }, panel.r || sheet.t),
      el('span', null, panel.id ? el('a', { href: '../runs/' + encodeURIComponent(panel.id) + '/' },
        panel.note || 'run') : panel.note, dims)), map.canvas, map.out) };
}

/* A slider over the places of a dimension, with a button that plays them. */
function slider(dim, value, change) {
  const text = el('span', null, dim.t + ' ' + dim.labels[value]);
  const input = el('input', { type: 'range', min: 0, max: dim.labels.length - 1, value,
    'data-dimension': dim.t, 'aria-valuetext': text.textContent,
    oninput: () => {
      text.textContent = dim.t + ' ' + dim.labels[Number(input.value)];
      input.setAttribute('aria-valuetext', text.textContent);
      change(Number(input.value));
    } });
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
  };
  const play = el('button', { type: 'button', onclick: () => {
    if (timer) {
      stop();
      return;
    }
    play.textContent = 'Stop';
    input.value = Number(input.value) === dim.labels.length - 1 ? -1 : Number(input.value) - 1;
    timer = setInterval(() => {
      input.value = Number(input.value) + 1;
      input.dispatchEvent(new Event('input'));
      if (!input.isConnected || Number(input.value) === dim.labels.length - 1) {
        stop();
      }
    }, 600);
  } }, 'Play');
  return [el('label', null, text, input), play];
}

function makeSheet(sheet, place) {
  const chosen = keptAt(place, 'sheet'); /* labels by the title of their dimension, and full */
  const at = sheet.dims.map((dim) => {
    const known = dim.labels.indexOf(chosen[dim.t]);
    return known >= 0 ? known : dim.mean ? -1 : dim.labels.length - 1;
  });
  const isFull = () => (chosen.full === undefined ? sheet.full !== false : chosen.full);
  const controls = el('div', { class: 'controls' });
  const bar = el('div');
  const box = el('div');
  const node = el('div', null, controls, bar, box);

  function update() {
    const shown = sheet.panels.filter(isLeft);
    const cards = shown.map((panel) => [panel.c, sheetCard(sheet, panel, at)]);
    const top = isFull() ? sheet.top : Math.max(...cards.map((pair) => pair[1].top), 1e-6);
    cards.forEach((pair) => pair[1].map.draw(top));
    clear(bar, colourBar(number(top, 3) + '  ' + (sheet.scale || '')));
    clear(box, [...new Set(cards.map((pair) => pair[0]))].map((title) => [
      title && el('h4', null, title),
      el('div', { class: sheet.dims.length ? 'cards maps' : 'cards' },
        cards.filter((pair) => pair[0] === title).map((pair) => pair[1].node))]));
  }

  const pick = (k) => (value) => {
    at[k] = Number(value);
    chosen[sheet.dims[k].t] = sheet.dims[k].labels[at[k]];
    update();
  };
  append(controls, [
    sheet.dims.map((dim, k) => (dim.labels.length < 2 ? null
      : k === 0 ? slider(dim, at[k], pick(k))
        : select(capital(dim.t), [...(dim.mean ? [[-1, 'mean over ' + dim.t + 's']] : []),
          ...dim.labels.map((label, i) => [i, dim.t + ' ' + label])], at[k], pick(k)))),
    sheet.dims.length > 0 && check('Colours from 0 to ' + sheet.top, isFull(), (value) => {
      chosen.full = value;
      update();
    })]);
  onFilter(node, update);
  return { node, update };
}
