/* What every widget uses: the data, the texts of the page's language, numbers, sliders. */

const data = JSON.parse(document.getElementById('data').textContent);
const widgets = {};

function t(key, values) {
  const text = data.texts[key];
  if (text === undefined) {
    throw new Error('no text ' + key);
  }
  return text.replace(/\{(\w+)\}/g, (all, name) => (values && name in values ? values[name] : all));
}

function fixed(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return '–';
  }
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '\u2212');
}

function signed(value, digits) {
  return (value > 0 ? '+' : '') + fixed(value, digits);
}

/* Few digits where few say it: 2, 0.5, 1.41. */
function short(value) {
  return fixed(value, Number.isInteger(value) ? 0 : 2);
}

function range(n) {
  return Array.from({ length: n }, (item, i) => i);
}

function sum(list) {
  return list.reduce((a, b) => a + b, 0);
}

function mean(list) {
  return list.length ? sum(list) / list.length : NaN;
}

function dot(a, b) {
  return sum(a.map((x, i) => x * b[i]));
}

function multiply(a, b) {
  return a.map((row) => b[0].map((item, j) => sum(row.map((x, k) => x * b[k][j]))));
}

function softmax(row) {
  const top = Math.max(...row);
  const e = row.map((x) => Math.exp(x - top));
  const total = sum(e);
  return e.map((x) => x / total);
}

function largestDifference(a, b) {
  return Math.max(...a.map((row, i) => Math.max(...row.map((x, j) => Math.abs(x - b[i][j])))));
}

/* "W_Q" with Q as a subscript, "x_(t+1)" and "x_((t+1) mod T)" with what is in the brackets. */
function subscripts(text) {
  return text.split(/(_\((?:[^()]|\([^()]*\))*\)|_[A-Za-z0-9]+)/).map((part, i) =>
    (i % 2 ? el('sub', null, part[1] === '(' ? part.slice(2, -1) : part.slice(1)) : part));
}

/* Of the page's font, in units of the size that figures are laid out for. */
function fontScale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 17;
}

/* ---- colours ---- */

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92
    : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* Of black and white, the one that is easier to read there: at least 4.5 to 1 on any colour. */
function paint(node, share) {
  const rgb = colourAt(share);
  node.style.background = 'rgb(' + rgb.join(',') + ')';
  node.style.color = luminance(rgb) > 0.179 ? '#000' : '#fff';
}

function shareBar() {
  return colourBar(t('js.scale'), el('span', null, '1'), el('span', { class: 'muted' }, t('js.scale')));
}

const DASHES = ['', '7 3', '2 2', '8 2 2 2', '12 3', '8 2 2 2 2 2', '4 1.5'];

function lineStyle(i) {
  return { stroke: 'var(--s' + i % 7 + ')', 'stroke-dasharray': DASHES[i % 7], fill: 'none' };
}

/* ---- controls ---- */

/* A slider with its value beside the label; text(value) is also what a screen reader says. No <label>
 * around them: that would name the <output>, not the slider. */
function slider(label, options, change) {
  const out = el('output');
  const input = el('input', { type: 'range', min: options.min, max: options.max,
    step: options.step, value: options.value, 'aria-label': label.replace(/_/g, ' ') });
  const text = options.text || ((value) => fixed(value, 2));
  function show() {
    out.textContent = text(Number(input.value));
    input.setAttribute('aria-valuetext', out.textContent);
  }
  input.addEventListener('input', () => {
    show();
    change(Number(input.value));
  });
  show();
  return { input, node: el('div', { class: 'slider' }, el('span', { class: 'head' },
    el('span', null, subscripts(label)), out), input),
    set(value) {
      input.value = value;
      show();
    } };
}

function button(text, click, attributes) {
  return el('button', Object.assign({ type: 'button', onclick: click }, attributes), text);
}

/* Draws again whenever the width changes. */
function sized(draw) {
  const box = el('div');
  let width = 0;
  const again = () => {
    if (box.clientWidth && box.clientWidth !== width) {
      width = box.clientWidth;
      clear(box, draw(width));
    }
  };
  new ResizeObserver(again).observe(box);
  box.redraw = () => {
    width = 0;
    again();
  };
  return box;
}

/* Arrow keys move the focus over a table of cells, of which Tab reaches one. */
function arrowKeys(node, cellAt, nRow, nColumn) {
  let at = [0, 0];
  for (let i = 0; i < nRow; i++) {
    for (let j = 0; j < nColumn; j++) {
      cellAt(i, j).tabIndex = -1;
    }
  }
  cellAt(0, 0).tabIndex = 0;
  node.addEventListener('keydown', (event) => {
    const step = ARROWS[event.key];
    if (step) {
      event.preventDefault();
      cellAt(...at).tabIndex = -1;
      at = [Math.min(Math.max(at[0] + step[0], 0), nRow - 1),
        Math.min(Math.max(at[1] + step[1], 0), nColumn - 1)];
      cellAt(...at).tabIndex = 0;
      cellAt(...at).focus();
    }
  });
  return (i, j) => {
    cellAt(...at).tabIndex = -1;
    at = [i, j];
    cellAt(i, j).tabIndex = 0;
  };
}

/* ---- runs ---- */

function variantIndex(id) {
  return data.variants.findIndex((variant) => variant.id === id);
}

function taskIndex(name) {
  return data.tasks.findIndex((task) => task.name === name);
}

/* "Q=K, score_term relative" in fewer letters. The relative term has a scale, too. */
function nameOf(variant) {
  return data.variants[variant].name.replace(', score_term relative', ' · scale + relative')
    .replace(', score_term ', ' · ');
}

function runsOf(task, variant) {
  return data.runs.filter((run) => run.task === task && run.variant === variant);
}

function sharingVariants() {
  return data.variants.map((variant, i) => i).filter((i) => data.variants[i].sharing);
}
