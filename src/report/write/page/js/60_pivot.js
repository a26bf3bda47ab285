/* A plot that its reader makes from a table: {t: label, cols, rows, x: [columns], y: [columns, each
 * with its low and high behind it], fixed: [columns], line, panel}. Of the columns for x and the fixed
 * ones, all but the chosen x are held at one value, chosen among what there is. */

/* No axis is shorter than from minus to plus this: a hair's breadth must not look like a gap. */
const LEAST_GAP = 0.02;

function distinct(rows, column) {
  return [...new Set(rows.map((row) => cellValue(row[1][column])))]
    .sort((a, b) => (typeof a === 'number' ? a - b : String(a).localeCompare(String(b))));
}

function pivotPanel(pivot, rows, state) {
  const value = (row, column) => (cellValue(row[1][column]) === null ? NaN
    : cellValue(row[1][column]));
  const sorted = [...rows].sort((a, b) => value(a, state.x) - value(b, state.x));
  const lines = distinct(rows, pivot.line).map((name) => {
    const own = sorted.filter((row) => cellValue(row[1][pivot.line]) === name);
    const pick = (column) => own.map((row) => value(row, column));
    const x = pick(state.x);
    return { t: name, v: levelsOf(own[0][0])[VARIANT], m: DOTS, x, texts: (i) => number(x[i], 6),
      y: pick(state.y), low: pick(state.y + 1), high: pick(state.y + 2), one: [] };
  }).sort((a, b) => a.v - b.v);
  const values = lines.flatMap((line) => [...line.low, ...line.high, ...line.y])
    .filter(Number.isFinite);
  const least = values.every((item) => Math.abs(item) >= 1 || item === 0) ? 1 : LEAST_GAP;
  const low = Math.min(-least, ...values);
  const high = Math.max(least, ...values);
  const margin = 0.06 * (high - low);
  const [xTitle, yTitle] = [pivot.cols[state.x].t, pivot.cols[state.y].t];
  const title = cellText(rows[0][1][pivot.panel]);
  const panel = { t: title, f: levelsOf(rows[0][0]).slice(0, 1), x: { t: xTitle },
    y: { t: yTitle + ', difference', sign: true }, rules: [{ at: 0 }], lines };
  return framedPanel(yTitle + ' by ' + xTitle + ', ' + title, panel,
    { xLog: distinct(rows, state.x)[0] > 0, range: [low - margin, high + margin] });
}

function makePivot(pivot) {
  const state = { x: pivot.x[0], y: pivot.y[0], fixed: {} };
  const controls = el('div', { class: 'controls' });
  const keys = el('div');
  const panels = el('div', { class: 'panels' });
  const node = el('div', null, controls, keys, panels);
  const others = () => [...pivot.x, ...pivot.fixed].filter((column) => column !== state.x);
  const count = (rows, column, value) => distinct(rows.filter((row) =>
    cellValue(row[1][column]) === value), state.x).length;

  /* The values of every other column, chosen one after the other among what was run. The plot holds
   * sizes itself, so the filter's sizes do not apply. */
  function narrow() {
    let rows = pivot.rows.filter((row) => cellValue(row[1][state.y]) !== null &&
      isNamed(row[0].slice(0, SETTING)));
    const choices = [];
    for (const column of others()) {
      const values = distinct(rows, column);
      if (!values.includes(state.fixed[column])) {
        state.fixed[column] = values.reduce((best, value) =>
          (count(rows, column, value) > count(rows, column, best) ? value : best), values[0]);
      }
      if (values.length > 1) {
        choices.push([column, values]);
      }
      rows = rows.filter((row) => cellValue(row[1][column]) === state.fixed[column]);
    }
    return { rows, choices };
  }

  function update() {
    const { rows, choices } = narrow();
    const pick = (key) => (value) => {
      state[key] = Number(value);
      update();
    };
    const named = (columns) => columns.map((column) => [column, pivot.cols[column].t]);
    clear(controls, select(pivot.t, named(pivot.y), state.y, pick('y')),
      select('Over', named(pivot.x), state.x, pick('x')),
      choices.map(([column, values]) => select(pivot.cols[column].t + ' =',
        values.map((value, i) => [i, String(value)]), values.indexOf(state.fixed[column]),
        (value) => {
          state.fixed[column] = values[Number(value)];
          update();
        })));
    const drawn = distinct(rows, pivot.panel).map((title) => pivotPanel(pivot,
      rows.filter((row) => cellValue(row[1][pivot.panel]) === title), state));
    clear(keys, legendOf(pivot, drawn.map(({ panel }) => panel)));
    drawPanels(panels, drawn);
  }

  onFilter(node, update);
  return { node, update };
}
