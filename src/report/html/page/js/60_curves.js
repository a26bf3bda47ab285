/* Learning curves: a panel a task, a line a variant. */

function settingSelect(shown, value, change) {
  return select('Setting', shown.map((i) => [i, settingName(i)]), value, change);
}

function decodeCurve(curve, kind) {
  const lines = curve[kind];
  if (!lines.decoded) {
    lines.decoded = { mean: decodeFloats(lines.mean), low: decodeFloats(lines.low),
      high: decodeFloats(lines.high), seeds: lines.seeds.map(decodeFloats) };
  }
  return lines.decoded;
}

function chanceOf(cell) {
  const n = taskOf(cell).images ? cell.of.n_class : 10;
  return { y: Math.log(n), title: 'chance, ln ' + n };
}

/* {low, high} of the axis: an accuracy goes from 0 to 1. A loss holds chance, and begins at 0 only
 * where it comes near: early curves would all be one line at the top. */
function curveAxis(cells, options) {
  if (options.kind === 'accuracy') {
    return options.yLog ? { low: 0.05, high: 1.1 } : { low: 0, high: 1.02 };
  }
  let high = chanceOf(cells[0]).y;
  let low = high;
  let highest = high; /* of the bands, which reach far up where training was unsteady */
  for (const cell of cells) {
    const curve = decodeCurve(cell.curve, 'loss');
    curve.mean.forEach((value, i) => {
      const lowest = options.yLog ? value : curve.low[i];
      high = Math.max(high, value);
      highest = Math.max(highest, curve.high[i] || 0);
      low = lowest > 0 ? Math.min(low, lowest) : low;
    });
  }
  if (options.yLog) {
    return { low: low * 0.8, high: high * 1.3 };
  }
  if (low < high / 4) {
    return { low: 0, high: high * 1.06 };
  }
  const step = niceStep(highest - low || 1, 6);
  const begin = Math.floor(low / step) * step;
  return { low: begin, high: highest + 0.06 * (highest - begin) };
}

const CURVE_NAMES = { loss: 'training loss', accuracy: 'training accuracy' };

function curvePanel(task, cells, options) {
  const longest = cells.reduce((a, b) => (a.curve.n_step >= b.curve.n_step ? a : b)).curve;
  const n = Math.ceil(longest.n_step / longest.bucket);
  const same = cells.filter((cell) => cell.curve.bucket === longest.bucket);
  const lines = same.map((cell) => {
    const curve = decodeCurve(cell.curve, options.kind);
    return { variant: cell.variant, mean: curve.mean, low: options.band && curve.low,
      high: options.band && curve.high, seeds: options.seeds ? curve.seeds : [] };
  });
  const first = (i) => i * longest.bucket;
  const last = (i) => Math.min((i + 1) * longest.bucket, longest.n_step) - 1;
  const title = CURVE_NAMES[options.kind];
  const plot = makePlot({
    name: title + ', ' + data.tasks[task].title,
    x: Array.from({ length: n }, (item, i) => (first(i) + last(i)) / 2),
    xText: (i) => (longest.bucket === 1 ? 'step ' + i : 'steps ' + first(i) + ' to ' + last(i)),
    xLog: options.xLog, yLog: options.yLog, ...curveAxis(same, options),
    xTitle: 'training step', yTitle: title,
    level: options.kind === 'loss' ? chanceOf(cells[0]) : null, lines,
  });
  return { plot, node: el('figure', { class: 'panel' }, el('figcaption', null,
    el('span', null, data.tasks[task].title),
    runsLink({ setting: cells[0].setting, task }, 'runs')), plot.node) };
}

function drawPanels(box, panels) {
  clear(box, panels.map((panel) => panel.node));
  panels.forEach((panel) => panel.plot.draw());
}

/* ---- how the variants learned, in numbers ---- */

const DYNAMICS = [['plateau', 'escape_step'], ['50 % right', 'step_accuracy_50'],
  ['90 % right', 'step_accuracy_90'], ['99 % right', 'step_accuracy_99'],
  ['loss < 2.2', 'step_below_2.2'], ['loss < 0.1', 'step_below_0.1'],
  ['final loss', 'final_train_loss'], ['mean loss', 'mean_train_loss']];

function gapColumn(title, key, digits) {
  const gap = (cell) => (cell.gap && cell.gap[key] ? cell.gap[key] : null);
  return { title, number: true, value: (cell) => gap(cell) && gap(cell)[1],
    hint: 'variant minus baseline with the same seed: mean, lowest and highest',
    show: (cell) => {
      const value = gap(cell);
      return value && signedText(value[1], digits) + (value[2] < value[3] ? ' (' +
        signedText(value[2], digits) + ' to ' + signedText(value[3], digits) + ')' : value[0] > 1 ? '' : ' (1 pair)');
    } };
}

function dynamicsPart(section) {
  const cells = data.cells.filter((cell) => !taskOf(cell).images);
  const has = (key) => cells.some((cell) => cell.measures[key]);
  const ofAccuracy = has('step_accuracy_50');
  const shown = DYNAMICS.filter(([, key]) => has(key) &&
    !(ofAccuracy && key.startsWith('step_below')));
  if (!shown.length) {
    return;
  }
  const table = makeTable('Learning dynamics');
  const self = (cell) => cell;
  const columns = [
    { title: 'task', value: (cell) => taskOf(cell).title }, variantColumn,
    ...sizeColumns(false),
    ...shown.map(([title, key]) => measureColumn(title, key, self)),
    gapColumn('plateau, difference', 'escape_step', 0),
    gapColumn('mean loss, difference', 'mean_train_loss', 3),
  ].filter((column) => !column.hint || cells.some((cell) => column.value(cell) !== null));
  const update = () => table.update(columns,
    cellsShown(false).sort((a, b) => a.task - b.task || a.setting - b.setting ||
      a.variant - b.variant), 'Mean \u00b1 sample standard deviation over seeds');
  section.append(table.node, el('p', { class: 'note' }, 'Read off the training batches, before ' +
    'each update; steps count from 0. Plateau: the number of steps before the smoothed training ' +
    'loss leaves the plateau on which it starts, that is, the escape step. ' + (ofAccuracy
    ? '50, 90, 99 % right: the first step at which the median accuracy of five batches reaches that. '
    : 'Loss < 2.2, < 0.1: the first step with a smaller training loss. ') +
    (data.tasks.some((task) => task.name === 'sort') ? 'On Sort a model leaves the plateau as soon ' +
      'as it uses the position alone, so there its length says little about attention. ' : '') +
    'Mean loss: over all steps, the area under the curve; every run has it. \u201c75 (2 of ' +
    '3)\u201d: two of three seeds got there, at step 75 on average. Differences: variant minus ' +
    'baseline with the same seed, in brackets the lowest and the highest; of the plateau over the ' +
    'pairs in which both left it. Tests of them are under Comparisons.'));
  onFilter(update);
  update();
}

function curvesSection(section) {
  dynamicsPart(section);
  if (!data.cells.some((cell) => cell.curve)) {
    return section.children.length > 1;
  }
  const options = { kind: 'loss', yLog: false, xLog: false, band: true, seeds: false };
  const hasAccuracy = data.cells.some((cell) => cell.curve && cell.curve.accuracy);
  let setting = null;
  const controls = el('div', { class: 'controls' });
  const keys = el('div');
  const panels = el('div', { class: 'panels' });
  const draw = () => {
    const cells = data.cells.filter((cell) => cell.setting === setting && cell.curve &&
      cell.curve[options.kind] && cellMatches(cell));
    const tasks = [...new Set(cells.map((cell) => cell.task))].sort((a, b) => a - b);
    clear(keys, legend([...new Set(cells.map((cell) => cell.variant))].sort((a, b) => a - b)));
    drawPanels(panels, tasks.map((task) =>
      curvePanel(task, cells.filter((cell) => cell.task === task), options)));
  };
  const update = () => {
    const withCurves = new Set(data.cells.filter((cell) => cell.curve && cellMatches(cell))
      .map((cell) => cell.setting));
    const shown = [...settingsShown(false), ...settingsShown(true)].filter((i) => withCurves.has(i));
    setting = shown.includes(setting) ? setting : shown.length ? shown[0] : null;
    const option = (title, key) => check(title, options[key], (value) => {
      options[key] = value;
      draw();
    });
    clear(controls, shown.length > 1 && settingSelect(shown, setting, (value) => {
      setting = Number(value);
      draw();
    }), hasAccuracy && select('Curve', Object.entries(CURVE_NAMES), options.kind, (value) => {
      options.kind = value;
      draw();
    }), option('Log axis', 'yLog'), option('Steps on a log axis', 'xLog'),
    option('Band, lowest to highest seed', 'band'),
    data.notes.curves.with_seeds && option('Single seeds', 'seeds'));
    draw();
  };
  const note = data.notes.curves;
  section.append(el('h3', null, 'Curves'), el('p', null, 'Loss and accuracy of the training ' +
    'batches. The dotted line is a loss at chance: a variant that stays on it has learned nothing ' +
    'yet. All variants see the same batches, so what differs is when they leave it. Point at a panel, or focus it and press the arrow keys, to read the values.'),
  controls, keys, panels, el('p', { class: 'note' }, 'A line is the mean over seeds, the band ' +
    'reaches from the lowest to the highest seed. A run of more than ' + note.max_point + ' steps is ' +
    'cut into pieces of equally many steps: the line shows the mean over a piece, the band its ' +
    'lowest and highest step of any seed, so no extreme is lost. ' + (note.with_seeds
    ? 'Single seeds: the first ' + note.max_seed + '.'
    : 'Single seeds are left out to keep this page small.')));
  onFilter(update);
  update();
  return true;
}

/* ---- images: accuracy by epoch ---- */

function epochPanel(setting, task, cells, column, title) {
  const lines = cells.map((cell) => {
    const runs = cell.epochs.map((pair) => pair[1]);
    const n = Math.min(...runs.map((rows) => rows.length));
    const at = (i, pick) => pick(...runs.map((rows) => rows[i][column]));
    const each = (pick) => Array.from({ length: n }, (item, i) =>
      (runs.every((rows) => rows[i][column] !== null) ? at(i, pick) : null));
    return { variant: cell.variant, low: each(Math.min), high: each(Math.max),
      mean: each((...values) => values.reduce((a, b) => a + b, 0) / values.length) };
  });
  const epochs = cells[0].epochs[0][1].map((row) => row[0]);
  const values = lines.flatMap((line) => [...line.low, ...line.high]).filter(Number.isFinite);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const plot = makePlot({
    name: title + ', ' + data.tasks[task].title, x: epochs, xText: (i) => 'epoch ' + epochs[i],
    xTicks: epochs.length <= 12 ? epochs : null,
    low: low - 0.05 * (high - low || 1), high: high + 0.05 * (high - low || 1),
    xTitle: 'epoch', yTitle: title, lines,
  });
  return { plot, node: el('figure', { class: 'panel' }, el('figcaption', null,
    el('span', null, title), runsLink({ setting, task }, 'runs')), plot.node) };
}

const EPOCH_PANELS = [[3, 'test top-1'], [5, 'training top-1'], [2, 'test loss'],
  [1, 'training loss']];

function epochsPart(section) {
  if (!data.cells.some((cell) => cell.epochs)) {
    return;
  }
  const box = el('div');
  const update = () => {
    clear(box);
    for (const setting of settingsShown(true)) {
      const cells = data.cells.filter((cell) => cell.setting === setting && cell.epochs &&
        cellMatches(cell));
      if (!cells.length) {
        continue;
      }
      const panels = el('div', { class: 'panels' });
      box.append(el('h3', null, settingName(setting)),
        legend(cells.map((cell) => cell.variant)), panels);
      drawPanels(panels, EPOCH_PANELS.filter(([column]) => cells.some((cell) =>
        cell.epochs.some((pair) => pair[1].some((row) => row[column] !== null))))
        .map(([column, title]) => epochPanel(setting, cells[0].task, cells, column, title)));
    }
  };
  section.append(el('p', { class: 'note' }, 'Training values are means over the steps of an epoch, ' +
    'so of models on the way, with dropout and augmentation on. Test values are taken after the ' +
    'epoch.'), box);
  onFilter(update);
  update();
}
