/* The data of the page, with names for the places of a run's row, and the filter that every part of
 * the page obeys. */

const data = JSON.parse(document.getElementById('data').textContent);
const RUN = { id: 0, cell: 1, seed: 2, status: 3, steps: 4, message: 5, measure: 6 };
const AXES = [['d', 'd (width)'], ['L', 'L (layers)'], ['H', 'H (heads)'], ['T', 'T (length)']];
const measureIndex = new Map(data.measures.map((measure, i) => [measure.key, i]));

data.cells.forEach((cell, i) => {
  cell.number = i;
  cell.of = data.settings[cell.setting];
});

const taskOf = (cell) => data.tasks[cell.task];
const variantOf = (cell) => data.variants[cell.variant];
const runValue = (run, key) => run[RUN.measure + measureIndex.get(key)];
const runFolder = (id) => '../runs/' + encodeURIComponent(id) + '/';
const isVarying = (axis) => new Set(data.settings.map((setting) => setting[axis])).size > 1;

const filter = { text: '', task: '', variant: '', d: '', L: '', H: '', T: '' };
const listeners = [];

function cellText(cell) {
  const variant = variantOf(cell);
  return [variant.name, variant.id, taskOf(cell).title, taskOf(cell).name, cell.of.title]
    .join(' ').toLowerCase();
}

function words() {
  return filter.text.toLowerCase().split(/\s+/).filter((word) => word);
}

/* cellMatches leaves the text out where a table has more to search in. */
function cellMatches(cell, text) {
  const wanted = words();
  const hay = text === undefined ? cellText(cell) : text;
  return (filter.task === '' || cell.task === Number(filter.task)) &&
    (filter.variant === '' || cell.variant === Number(filter.variant)) &&
    AXES.every(([axis]) => filter[axis] === '' || cell.of[axis] === Number(filter[axis])) &&
    wanted.every((word) => hay.includes(word));
}

function cellsShown(images) {
  return data.cells.filter((cell) => taskOf(cell).images === images && cellMatches(cell));
}

function settingsShown(images) {
  const shown = new Set(cellsShown(images).map((cell) => cell.setting));
  return data.settings.map((setting, i) => i)
    .filter((i) => data.settings[i].images === images && shown.has(i));
}

function onFilter(update) {
  listeners.push(update);
}

function filterChanged() {
  listeners.forEach((update) => update());
}

/* Every number links to the runs behind it. */
function runsLink(query, ...children) {
  const text = new URLSearchParams(query).toString();
  return el('a', { href: '#runs&' + text, title: query.title ? query.title : null }, children);
}

function cellLink(cell, text, title) {
  return el('a', { href: '#runs&cell=' + cell.number, title }, text);
}

function settingName(i) {
  const setting = data.settings[i];
  const n = data.settings.length;
  return (n > 1 ? 'Setting ' + (i + 1) + ': ' : '') + setting.title + ', ' +
    plural(setting.steps, 'step');
}
