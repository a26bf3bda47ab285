/* A plot that its reader makes from a table: {t: label, cols, rows, x: [columns], y: [columns, each with
 * its low and high behind it], fixed: [columns], line, panel}. Of the columns for x and the fixed ones,
 * all but the chosen x are held at one value, chosen among what there is. */

/* No axis is shorter than from minus to plus this: a hair's breadth must not look like a gap. */
const LEAST_GAP = 0.02;

function distinct(rows, column) {
  return [...new Set(rows.map((row) => cellValue(row[2][column])))]
    .sort((a, b) => (typeof a === 'number' ? a - b : String(a).localeCompare(String(b))));
}

function pivotPanel(pivot, rows, state) {
  const x = distinct(rows, state.x);
  const value = (row, i) => (row ? cellValue(row[2][state.y + i]) : null);
  const lines = [...new Set(rows.map((row) => row[0][VARIANT]))].sort((a, b) => a - b)
    .map((style) => {
      const at = x.map((item) => rows.find((row) => row[0][VARIANT] === style &&
        cellValue(row[2][state.x]) === item));
      return { style, name: data.variants[style][1], mean: at.map((row) => value(row, 0)),
        low: at.map((row) => value(row, 1)), high: at.map((row) => value(row, 2)) };
    });
  const values = lines.flatMap((line) => [...line.low, ...line.high, ...line.mean])
    .filter((item) => item !== null);
  const whole = values.every((item) => Math.abs(item) >= 1 || item === 0);
  const low = Math.min(whole ? -1 : -LEAST_GAP, ...values);
  const high = Math.max(whole ? 1 : LEAST_GAP, ...values);
  const margin = 0.06 * (high - low);
  const [xTitle, yTitle] = [pivot.cols[state.x].t, pivot.cols[state.y].t];
  const title = cellText(rows[0][2][pivot.panel]);
  const plot = makePanel({
    name: yTitle + ' by ' + xTitle + ', ' + title, x, xTicks: x, xText: (i) => xTitle + ' ' + x[i],
    xLog: x[0] > 0, low: low - margin, high: high + margin, xTitle,
    yTitle: yTitle + ', difference', rules: [[0, 'no difference']], dots: true, lines,
  });
  const facets = [rows[0][0][TASK], -1, -1, -1];
  return { plot, node: el('figure', { class: 'panel' }, el('figcaption', null,
    el('span', null, title), runsLink(facets, 'runs')), plot.node) };
}

function makePivot(pivot) {
  const state = { x: pivot.x[0], y: pivot.y[0], fixed: {} };
  const controls = el('div', { class: 'controls' });
  const keys = el('div');
  const panels = el('div', { class: 'panels' });
  const node = el('div', null, controls, keys, panels);
  const others = () => [...pivot.x, ...pivot.fixed].filter((column) => column !== state.x);
  const count = (rows, column, value) => distinct(rows.filter((row) =>
    cellValue(row[2][column]) === value), state.x).length;

  /* The values of every other column, chosen one after the other among what was run. */
  function narrow() {
    let rows = pivot.rows.filter((row) => cellValue(row[2][state.y]) !== null && matches(row[0]));
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
      rows = rows.filter((row) => cellValue(row[2][column]) === state.fixed[column]);
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
    const groups = distinct(rows, pivot.panel).map((title) =>
      rows.filter((row) => cellValue(row[2][pivot.panel]) === title));
    const styles = [...new Set(rows.map((row) => row[0][VARIANT]))].sort((a, b) => a - b);
    clear(keys, legend(styles.map((style) => [style, data.variants[style][1]])));
    drawPanels(panels, groups.map((group) => pivotPanel(pivot, group, state)));
  }

  onFilter(node, update);
  return { node, update };
}
