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
  const sizes = new Set(settings.map((setting) =>
    [...AXES.map(([axis]) => setting[axis]), setting.steps].join()));
  if (sizes.size < settings.length) { /* they differ in more than sizes */
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

const fixed = (value) => (value === null || value === undefined ? null : fixedText(value, 3));

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
    pivot(cells), capital(measure.title) + ': mean ± sample standard deviation over seeds');
    clear(note, 'Fewer than ' + data.min_bar + ' seeds have no error bar and say their number; ' +
      '– was not run. ' + (measure.step ? '“75 (2 of 3)”: two of three seeds got there, at step ' +
      '75 on average; steps count from 0. ' : '') + 'Every number opens its runs. ',
    key === 'token_accuracy' ? floorsNote(tasks) : '');
  };
  section.append(el('div', { class: 'controls' }, select('Measure',
    present.map((measure) => [measure.key, capital(measure.title)]), key, (value) => {
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
  section.append(el('p', { class: 'note' }, 'Published. Paper, ' + paper.image_name + ': ' +
    paper.image_conditions + '. Reproduction, ' + reproduction.image_name + ': ' +
    reproduction.image_conditions + '.'));
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
      return value === null ? null : fixedText(value, digits);
    } };
  const share = (title, key) => has(key) && { title, number: true, value: place(key, 2),
    show: (row) => (row.measures[key] ? Math.round(row.measures[key][2] * row.measures[key][0]) +
      ' of ' + row.measures[key][0] : null) };
  const accuracy = has('top1') ? 'top1' : 'token_accuracy';
  return [
    { title: 'task', value: (row) => data.tasks[row.task].title }, variantColumn,
    { title: 'configs', number: true, hint: 'configurations', value: place(accuracy, 1) },
    { title: 'runs', number: true, value: (row) => row.n_ok, show: (row) =>
      runsLink({ task: row.task, variant: row.variant }, String(row.n_ok)) },
    shown('mean accuracy', accuracy, 2, 3), shown('sd between configurations', accuracy, 3, 3),
    shown('sd over seeds', accuracy, 4, 3),
    shown('above the floor', 'accuracy_above_floor', 2, 3), share('solved', 'solved'),
    share('at chance', 'at_chance'), share('escaped', 'escaped'),
    shown('plateau', 'escape_step', 2, 0), shown('90 % right', 'step_accuracy_90', 2, 0),
    shown('final loss', 'final_train_loss', 2, 3), shown('mean loss', 'mean_train_loss', 2, 3),
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
  const update = () => table.update(columns, overview.cells.filter((row) => rowMatches(row, ''))
    .sort((a, b) => a.task - b.task || a.variant - b.variant),
    'Over all ' + overview.n_configuration + ' configurations');
  section.append(el('h3', null, name), table.node,
    el('p', { class: 'note' }, 'Two spreads, which answer different questions: the standard ' +
      'deviation between the means of configurations, and the one over seeds within a ' +
      'configuration (pooled). Single runs are often at chance or solved, so that a mean may ' +
      'describe none of them. Steps are means over the runs that got there, which are other runs ' +
      'for each variant: compare variants by the mean loss, which every run has, or under ' +
      'Comparisons. The filter by d, L, H and T does not apply here.'));
  onFilter(update);
  update();
}

function accuracySection(section) {
  overviewTable(section, data.overviews[0], 'Averages over all configurations');
  if (data.overviews[0].n_configuration > 1) {
    section.append(el('h3', null, 'Every setting'));
  }
  taskTables(section);
  imageTable(section);
  overviewTable(section, data.overviews[1], 'Averages over all configurations on images');
}

/* ---- published beside measured ---- */

function stepText(step) {
  return step === null || step === undefined ? null : step < 0 ? 'never' : String(step);
}

function isNumber(value) {
  return value !== null && value !== undefined;
}

/* Runs of one width, length and number of steps together, whatever their layers and heads. */
function bySize(cells) {
  const rows = new Map();
  for (const cell of cells) {
    const { d, T, steps } = cell.of;
    const key = [cell.variant, d, T, steps].join();
    const accuracy = cell.measures.token_accuracy;
    if (!rows.has(key)) {
      rows.set(key, { ...cell, d, T, steps, n: 0, sum: 0 });
    }
    if (accuracy) {
      rows.get(key).n += accuracy[2];
      rows.get(key).sum += accuracy[1] * accuracy[2];
    }
  }
  return [...rows.values()].filter((row) => row.n > 0)
    .sort((a, b) => a.d - b.d || a.T - b.T || a.steps - b.steps || a.variant - b.variant);
}

function publishedSection(section) {
  const has = (cell) => !taskOf(cell).images && Object.values(cell.published).some((v) => v !== null);
  if (!data.cells.some(has)) {
    return false;
  }
  const { paper, reproduction } = data.published;
  const grid = data.overviews[0].n_configuration > 1;
  const table = makeTable('Published beside measured');
  const same = makeTable('Reverse at the same width and length');
  const published = (title, source) => ({ title, number: true,
    value: (cell) => cell.published[source], show: (cell) => fixed(cell.published[source]) });
  const self = (cell) => cell;
  const columns = [
    { title: 'task', value: (row) => data.tasks[row.task].title }, variantColumn,
    grid ? { title: 'measured (mean over all)', number: true, value: (row) => row.mean,
      show: (row) => runsLink({ task: row.task, variant: row.variant }, fixed(row.mean)) }
      : measureColumn('measured', 'token_accuracy', self),
    grid && { title: 'configs', number: true, hint: 'configurations', value: (row) => row.n },
    published('published, paper (grid mean)', 'paper'),
    published('published, reproduction (grid mean)', 'reproduction'),
  ].filter((column) => column);
  const sameColumns = [variantColumn, { title: 'd', number: true, value: (row) => row.d },
    { title: 'T', number: true, value: (row) => row.T },
    { title: 'steps', number: true, value: (row) => row.steps },
    { title: 'runs', number: true, value: (row) => row.n, show: (row) =>
      runsLink({ task: row.task, variant: row.variant }, String(row.n)) },
    { title: 'measured, mean of them', number: true, value: (row) => row.sum / row.n,
      show: (row) => fixed(row.sum / row.n) },
    published('published, mean of 12 runs', 'same_size')];
  /* In a grid only the setting that the published steps are of is worth a table. */
  const hasSteps = (cell) => cell.dynamics && (!grid || isNumber(cell.dynamics[2]));
  /* Of a grid a row is the mean over all its configurations, as the published ones are over theirs. */
  const rowsOf = (cells) => (!grid ? cells.filter(has)
    : data.overviews[0].cells.filter((row) => rowMatches(row, '')).map((row) => {
      const cell = data.cells.find((one) => one.task === row.task && one.variant === row.variant);
      const accuracy = row.measures.token_accuracy;
      return { ...row, published: cell.published, has: has(cell), mean: accuracy ? accuracy[2] : null,
        n: accuracy ? accuracy[1] : 0 };
    }).filter((row) => row.has));
  const steps = makeTable('Leaving the plateau on Reverse');
  const step = (title, i) => ({ title, number: true,
    value: (cell) => (cell.dynamics[i] !== null && cell.dynamics[i] >= 0 ? cell.dynamics[i] : null),
    show: (cell) => stepText(cell.dynamics[i]) });
  const stepColumns = [variantColumn, ...sizeColumns(false),
    step('measured, below 2.2', 0), step('measured, below 0.1', 1),
    step('published, below 2.2', 2), step('published, below 0.1', 3)];
  const update = () => {
    const cells = cellsShown(false);
    table.update(columns, rowsOf(cells), 'Token accuracy');
    same.update(sameColumns, bySize(cells.filter((cell) => isNumber(cell.published.same_size) &&
      !cell.copies)),
      'Token accuracy');
    steps.update(stepColumns, cells.filter(hasSteps),
      'First step at which the mean of the seeds\u2019 training loss curves is below a level');
  };
  section.append(el('p', null, el('strong', null, 'The conditions differ: '),
    (grid ? 'each mean is over a grid of its own, and grids with other widths and lengths hold more ' +
      'or fewer runs at chance. ' : 'a measured value is one configuration, the grid means are over ' +
      'longer sequences and other widths too, on which many runs stay at chance. ') + 'Read the ' +
    'order of the variants, not the level. Published numbers enter no mean and no finding.'),
  table.node, el('p', { class: 'note' }, 'Paper, ' + paper.name + ': ' + paper.conditions +
    '. Reproduction, ' + reproduction.name + ': ' + reproduction.conditions + '.'));
  if (data.cells.some((cell) => isNumber(cell.published.same_size))) {
    section.append(el('h3', null, 'Reverse at the same width and length'), same.node,
      el('p', { class: 'note' }, 'Published, ' + reproduction.name + ': ' + data.published.reverse +
        '.'));
  }
  if (data.cells.some(hasSteps)) {
    section.append(el('h3', null, 'Leaving the plateau on Reverse'), steps.node,
      el('p', { class: 'note' }, 'Published steps stand only beside runs of the size and length ' +
        'they were measured at: ' + data.published.dynamics + '.'));
  }
  onFilter(update);
  update();
  return true;
}
