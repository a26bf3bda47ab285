/* Tables of what the cells measured. The texts are those of report.md. */

function measureHint(cell, key) {
  const value = cell.measures[key];
  const bad = cell.n_run - cell.n_ok;
  if (!value) {
    return null;
  }
  return value[2] + ' of ' + plural(cell.n_ok, 'finished run') +
    (value[2] > 0 ? ', ' + number(value[3], 5) + ' to ' + number(value[4], 5) : '') +
    (bad ? ', ' + bad + ' diverged or failed' : '') + '; opens the runs';
}

function measureColumn(title, key, find) {
  const value = (row) => {
    const cell = find(row);
    return cell && cell.measures[key] ? cell.measures[key] : null;
  };
  return {
    title, number: true,
    value: (row) => value(row) && value(row)[1],
    show: (row) => value(row) && cellLink(find(row), value(row)[0], measureHint(find(row), key)),
  };
}

function sizeColumns(images) {
  const settings = data.settings.filter((setting) => setting.images === images);
  const axes = AXES.map((pair) => pair[0])
    .filter((axis) => new Set(settings.map((setting) => setting[axis])).size > 1);
  const columns = axes.map((axis) => ({ title: axis, number: true,
    value: (row) => data.settings[row.setting][axis] }));
  if (new Set(settings.map((setting) => setting.steps)).size > 1) {
    columns.push({ title: 'steps', number: true, value: (row) => data.settings[row.setting].steps });
  }
  if (settings.length > 1) {
    columns.unshift({ title: 'setting', number: true, value: (row) => row.setting + 1 });
  }
  return columns;
}

/* One row a setting and variant: {setting, variant, cells: by task}. */
function pivot(cells) {
  const rows = new Map();
  for (const cell of cells) {
    const key = cell.setting + ' ' + cell.variant;
    if (!rows.has(key)) {
      rows.set(key, { setting: cell.setting, variant: cell.variant, n_param: cell.n_param,
        cells: new Map() });
    }
    rows.get(key).cells.set(cell.task, cell);
  }
  return [...rows.values()];
}

const fixed = (value) => (value === null || value === undefined ? null : value.toFixed(3));

const variantColumn = { title: 'variant', head: true, value: (row) => row.variant,
  show: (row) => [sample(row.variant), ' ' + data.variants[row.variant].name] };

function floorsNote(tasks) {
  const parts = [];
  for (const task of tasks) {
    const floors = new Set(settingsShown(false)
      .map((i) => data.settings[i].floors[data.tasks[task].name])
      .filter((value) => value !== undefined && value !== null).map((value) => value.toFixed(3)));
    if (floors.size) {
      const list = [...floors].sort();
      parts.push(data.tasks[task].title + ' ' + list[0] +
        (list.length > 1 ? ' to ' + list[list.length - 1] : ''));
    }
  }
  return parts.length ? 'A predictor that knows only the position reaches: ' + parts.join(', ') +
    ' (computed, not measured).' : '';
}

function taskTables(section) {
  const present = data.measures.filter((measure) =>
    data.cells.some((cell) => !taskOf(cell).images && cell.measures[measure.key]));
  if (!present.length) {
    return;
  }
  let key = present[0].key;
  const table = makeTable('Accuracy by variant and task');
  const note = el('p', { class: 'note' });
  const update = () => {
    const cells = cellsShown(false);
    const tasks = [...new Set(cells.map((cell) => cell.task))].sort((a, b) => a - b);
    const measure = present.find((item) => item.key === key);
    table.update([variantColumn, ...sizeColumns(false),
      ...tasks.map((task) => measureColumn(data.tasks[task].title, key,
        (row) => row.cells.get(task))),
      { title: 'parameters', number: true, value: (row) => row.n_param }],
    pivot(cells), measure.title + ': mean ± sample standard deviation over seeds');
    clear(note, 'Fewer than ' + data.min_bar + ' seeds have no error bar and say their number; ' +
      '– was not run. ' + (measure.step ? '“75 (2 of 3)”: two of three seeds got there, at step ' +
      '75 on average; steps count from 0. ' : '') + 'Every number opens its runs. ',
    key === 'token_accuracy' ? floorsNote(tasks) : '');
  };
  section.append(el('div', { class: 'controls' }, select('Measure',
    present.map((measure) => [measure.key, measure.title]), key, (value) => {
      key = value;
      update();
    })), table.node, note);
  onFilter(update);
  update();
}

/* ---- images ---- */

function imageTable(section) {
  if (!data.cells.some((cell) => taskOf(cell).images)) {
    return;
  }
  const table = makeTable('Accuracy on images');
  const self = (cell) => cell;
  const published = (title, source) => ({ title, number: true,
    value: (cell) => cell.published[source], show: (cell) => fixed(cell.published[source]) });
  const columns = [
    { title: 'data set', value: (cell) => taskOf(cell).title }, variantColumn,
    ...sizeColumns(true),
    measureColumn('top-1', 'top1', self), measureColumn('top-5', 'top5', self),
    measureColumn('test loss', 'loss', self),
    { title: 'parameters', number: true, value: (cell) => cell.n_param },
    published('published top-1, paper', 'paper'),
    published('published top-1, reproduction', 'reproduction'),
  ];
  const update = () => table.update(columns, cellsShown(true),
    'On the test images, with the weights after the last step; mean ± sample standard deviation');
  section.append(el('h3', null, 'Image data sets'), table.node);
  if (data.settings.some((setting) => setting.images && !setting.is_published)) {
    section.append(el('p', { class: 'warn' }, 'Some runs did not use the published images: ' +
      'published numbers say nothing about them.'));
  }
  const departures = new Set(data.cells.map((cell) => cell.departures).filter(Boolean));
  if (departures.size) {
    section.append(el('p', { class: 'warn' }, 'Not the default procedure, in brackets what it says: ' +
      [...departures].join('; ') + '. Published numbers say little about these runs.'));
  }
  const { paper, reproduction } = data.published;
  section.append(el('p', { class: 'note' }, 'Published: ' + paper.image_name + ': ' +
    paper.image_conditions + '. ' + reproduction.image_name + ': ' + reproduction.image_conditions +
    '.'));
  onFilter(update);
  update();
}

/* ---- averages over configurations ---- */

function overviewColumns(overview) {
  const place = (key, i) => (row) => (row.measures[key] ? row.measures[key][i] : null);
  const has = (key) => overview.cells.some((cell) => cell.measures[key]);
  const shown = (title, key, i, digits) => has(key) && { title, number: true,
    value: place(key, i), show: (row) => {
      const value = place(key, i)(row);
      return value === null ? null : value.toFixed(digits);
    } };
  const share = (title, key) => has(key) && { title, number: true, value: place(key, 2),
    show: (row) => (row.measures[key] ? Math.round(row.measures[key][2] * row.measures[key][0]) +
      ' of ' + row.measures[key][0] : null) };
  const accuracy = has('top1') ? 'top1' : 'token_accuracy';
  return [
    { title: 'task', value: (row) => data.tasks[row.task].title }, variantColumn,
    { title: 'configurations', number: true, value: place(accuracy, 1) },
    { title: 'runs', number: true, value: (row) => row.n_ok, show: (row) =>
      runsLink({ task: row.task, variant: row.variant }, String(row.n_ok)) },
    shown('mean accuracy', accuracy, 2, 3), shown('sd between configurations', accuracy, 3, 3),
    shown('sd over seeds', accuracy, 4, 3),
    shown('above the floor', 'accuracy_above_floor', 2, 3), share('solved', 'solved'),
    share('at chance', 'at_chance'), share('escaped', 'escaped'),
    shown('escape step', 'escape_step', 2, 0),
  ].filter((column) => column);
}

/* Rows that speak of all configurations obey the filter by task, variant and text alone. */
function rowMatches(row, more) {
  const text = [data.tasks[row.task].title, data.variants[row.variant].name, more].join(' ');
  return (filter.task === '' || row.task === Number(filter.task)) &&
    (filter.variant === '' || row.variant === Number(filter.variant)) &&
    words().every((word) => text.toLowerCase().includes(word));
}

function overviewTable(section, overview, name) {
  if (overview.n_configuration < 2) {
    return;
  }
  const table = makeTable(name);
  const columns = overviewColumns(overview);
  const update = () => table.update(columns, overview.cells.filter((row) => rowMatches(row, '')),
    'Over all ' + overview.n_configuration + ' configurations');
  section.append(el('h3', null, name), table.node,
    el('p', { class: 'note' }, 'Two spreads, which answer different questions: the standard ' +
      'deviation between the means of configurations, and the one over seeds within a ' +
      'configuration (pooled). Single runs are often at chance or solved, so that a mean may ' +
      'describe none of them. The filter by d, L, H and T does not apply here.'));
  onFilter(update);
  update();
}

function accuracySection(section) {
  taskTables(section);
  overviewTable(section, data.overviews[0], 'Averages over all configurations');
  imageTable(section);
  overviewTable(section, data.overviews[1], 'Averages over all configurations on images');
}

/* ---- published beside measured ---- */

function stepText(step) {
  return step === null || step === undefined ? null : step < 0 ? 'never' : String(step);
}

function publishedSection(section) {
  const has = (cell) => !taskOf(cell).images && Object.values(cell.published).some((v) => v !== null);
  if (!data.cells.some(has)) {
    return false;
  }
  const { paper, reproduction } = data.published;
  const table = makeTable('Published beside measured');
  const published = (title, source) => ({ title, number: true,
    value: (cell) => cell.published[source], show: (cell) => fixed(cell.published[source]) });
  const columns = [
    { title: 'task', value: (cell) => taskOf(cell).title }, variantColumn, ...sizeColumns(false),
    measureColumn('measured', 'token_accuracy', (cell) => cell),
    published('published, paper (grid mean)', 'paper'),
    published('published, reproduction (grid mean)', 'reproduction'),
    published('published, same d and T', 'same_size'),
  ];
  const steps = makeTable('Leaving the plateau on Reverse');
  const step = (title, i) => ({ title, number: true,
    value: (cell) => (cell.dynamics[i] !== null && cell.dynamics[i] >= 0 ? cell.dynamics[i] : null),
    show: (cell) => stepText(cell.dynamics[i]) });
  const stepColumns = [variantColumn, ...sizeColumns(false),
    step('measured, below 2.2', 0), step('measured, below 0.1', 1),
    step('published, below 2.2', 2), step('published, below 0.1', 3)];
  const update = () => {
    const cells = cellsShown(false);
    table.update(columns, cells.filter(has), 'Token accuracy');
    steps.update(stepColumns, cells.filter((cell) => cell.dynamics),
      'First step at which the mean of the seeds\u2019 training loss curves is below a level');
  };
  section.append(el('p', null, el('strong', null, 'The conditions differ: '),
    'a measured value is one configuration, the grid means are over longer sequences and other ' +
    'widths too, on which many runs stay at chance. Read the order of the variants, not the level. ' +
    'Published numbers enter no mean and no finding.'),
  table.node, el('p', { class: 'note' }, 'Paper, ' + paper.name + ': ' + paper.conditions +
    '. Reproduction, ' + reproduction.name + ': ' + reproduction.conditions + '. Same d and T: ' +
    data.published.reverse + '.'));
  if (data.cells.some((cell) => cell.dynamics)) {
    section.append(el('h3', null, 'Leaving the plateau on Reverse'), steps.node,
      el('p', { class: 'note' }, 'Published steps stand only beside runs of the size and length ' +
        'they were measured at: ' + data.published.dynamics + '.'));
  }
  onFilter(update);
  update();
  return true;
}
