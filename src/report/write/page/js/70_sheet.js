/* Grids of numbers. A sheet is {t, top, scale, down, right, labels, dims: [{t, labels, mean}], panels:
 * [{r: row title, c: column title, f, note, id: run folder, n, d: base64 of bytes, m: numbers in the
 * squares as base64 of float32}]}. A byte is 255 times the root of value / top, since most values are
 * small; the last dimension is the innermost. */

/* The values of a panel at chosen places of the dimensions (-1: the mean over it), as (i, j). */
function panelValues(sheet, panel, at) {
  panel.bytes = panel.bytes || decodeBytes(panel.d);
  panel.numbers = panel.numbers || (panel.m && decodeFloats(panel.m));
  const size = panel.n * panel.n;
  let planes = [0];
  sheet.dims.forEach((dim, k) => {
    const chosen = at[k] < 0 ? dim.labels.map((label, i) => i) : [at[k]];
    planes = planes.flatMap((plane) => chosen.map((i) => plane * dim.labels.length + i));
  });
  const one = (plane, i, j) => (panel.bytes[plane * size + i * panel.n + j] / 255) ** 2 * sheet.top;
  return (i, j) => planes.reduce((sum, plane) => sum + one(plane, i, j), 0) / planes.length;
}

function largestValue(panel, values) {
  let largest = 0;
  for (let i = 0; i < panel.n ** 2; i++) {
    largest = Math.max(largest, values(Math.floor(i / panel.n), i % panel.n));
  }
  return largest;
}

function sheetCard(sheet, panel, at, values, top) {
  const label = (i) => (sheet.labels ? sheet.labels[i] : i);
  const name = [panel.r, panel.c].filter((part) => part).join(', ') || sheet.t;
  const text = (i, j) => (panel.numbers
    ? label(i) + ' taken for ' + label(j) + ': ' + panel.numbers[i * panel.n + j] + ' (' +
      (100 * values(i, j)).toFixed(1) + ' %)'
    : sheet.down + ' ' + label(i) + ' \u2192 ' + sheet.right + ' ' + label(j) + ': p\u00a0=\u00a0' +
      values(i, j).toFixed(3));
  const canvas = paintShares(panel.n, panel.n, (i, j) => values(i, j) / top, { tabindex: 0,
    'aria-label': sheet.t + ', ' + name + '. Arrow keys read the values.' });
  const out = el('div', { class: 'value' });
  readPlaces(canvas, panel.n, (i, j) => {
    out.textContent = text(i, j);
    return out.textContent;
  });
  const dims = sheet.dims.length && sheet.dims[0].labels.length > 1
    ? ', ' + sheet.dims[0].t + ' ' + sheet.dims[0].labels[at[0]] : '';
  return el('figure', { class: sheet.dims.length ? 'card' : 'card wide' },
    el('figcaption', null, el('strong', { title: name }, panel.r || sheet.t),
      el('span', null, panel.id ? el('a', { href: '../runs/' + encodeURIComponent(panel.id) + '/' },
        panel.note || 'run') : panel.note, dims)), canvas, out);
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
  const isFull = () => (chosen.full === undefined ? !sheet.faint : chosen.full);
  const controls = el('div', { class: 'controls' });
  const bar = el('div');
  const box = el('div');
  const node = el('div', null, controls, bar, box);

  function update() {
    const shown = sheet.panels.filter(isLeft)
      .map((panel) => ({ panel, values: panelValues(sheet, panel, at) }));
    const top = isFull() ? sheet.top
      : Math.max(...shown.map(({ panel, values }) => largestValue(panel, values)), 1e-6);
    clear(bar, colourBar('Colour scale', number(top, 3) + '  ' + (sheet.scale || '')));
    clear(box, [...new Set(shown.map(({ panel }) => panel.c))].map((title) => [
      title && el('h4', null, title),
      el('div', { class: sheet.dims.length ? 'cards maps' : 'cards' },
        shown.filter(({ panel }) => panel.c === title)
          .map(({ panel, values }) => sheetCard(sheet, panel, at, values, top)))]));
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
