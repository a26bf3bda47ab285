/* All runs, and the files beside the page. */

function runsSection(section) {
  let query = new URLSearchParams();
  const table = makeTable('Runs');
  const chip = el('p');
  const cellOf = (run) => data.cells[run[RUN.cell]];
  const setting = (axis) => (run) => cellOf(run).of[axis];
  const shownMeasures = data.measures.filter((measure) => ['token_accuracy', 'sequence_accuracy',
    'top1', 'loss', 'escape_step'].includes(measure.key) &&
    data.runs.some((run) => runValue(run, measure.key) !== null));
  const columns = [
    { title: 'run folder', head: true, value: (run) => run[RUN.id], show: (run) =>
      el('a', { href: runFolder(run[RUN.id]) }, el('code', null, run[RUN.id])) },
    { title: 'task', value: (run) => taskOf(cellOf(run)).title },
    { title: 'variant', value: (run) => cellOf(run).variant, show: (run) =>
      variantOf(cellOf(run)).name },
    { title: 'seed', number: true, value: (run) => run[RUN.seed] },
    ...AXES.map(([axis]) => ({ title: axis, number: true, value: setting(axis) })),
    { title: 'steps', number: true, value: (run) => run[RUN.steps] },
    { title: 'state', value: (run) => run[RUN.status], show: (run) =>
      (run[RUN.status] === 'ok' ? 'ok' : el('span', { class: 'warn' }, run[RUN.status])) },
    ...shownMeasures.map((measure) => ({ title: measure.title, number: true,
      value: (run) => runValue(run, measure.key),
      show: (run) => measured(run, measure) })),
  ];
  if (data.runs.some((run) => run[RUN.message])) {
    columns.push({ title: 'message', text: true, value: (run) => run[RUN.message] });
  }

  function measured(run, measure) {
    const value = runValue(run, measure.key);
    return value === null ? null : measure.step ? String(value) : fixedText(value, 4);
  }

  function inQuery(run) {
    const cell = cellOf(run);
    const is = (key, value) => !query.has(key) || Number(query.get(key)) === value;
    return is('cell', cell.number) && is('setting', cell.setting) && is('task', cell.task) &&
      is('variant', cell.variant);
  }

  function queryText() {
    const cell = data.cells[query.get('cell')];
    const parts = cell ? [variantOf(cell).name, taskOf(cell).title, settingName(cell.setting)] : [];
    const name = (key, title) => {
      if (query.has(key)) {
        parts.push(title(query.get(key)));
      }
    };
    name('variant', (i) => (data.variants[i] || {}).name);
    name('task', (i) => (data.tasks[i] || {}).title);
    name('setting', (i) => (data.settings[i] ? settingName(Number(i)) : ''));
    return parts.filter((part) => part).join(', ');
  }

  function update() {
    const narrowed = [...query.keys()].length > 0;
    const rows = data.runs.filter((run) => (narrowed ? inQuery(run)
      : cellMatches(cellOf(run), (cellText(cellOf(run)) + ' ' + run[RUN.id] + ' ' + run[RUN.status] +
        ' ' + run[RUN.message]).toLowerCase())));
    clear(chip, narrowed && [el('span', { class: 'chip' }, 'Only the runs of: ' + queryText()), ' ',
      el('a', { href: '#runs' }, 'Show all runs')]);
    table.update(columns, rows, plural(rows.length, 'run'));
  }

  window.addEventListener('hashchange', follow);
  function follow() {
    const [name, ...rest] = location.hash.slice(1).split('&');
    if (name === 'runs') {
      query = new URLSearchParams(rest.join('&'));
      update();
      section.scrollIntoView();
    }
  }
  section.append(chip, table.node);
  onFilter(() => {
    if ([...query.keys()].length) {
      history.replaceState(null, '', '#runs');
      query = new URLSearchParams();
    }
    update();
  });
  update();
  return follow;
}

function leftOutPart(section) {
  const rows = [...data.runs.filter((run) => run[RUN.status] !== 'ok').map((run) =>
    [run[RUN.id], run[RUN.status], run[RUN.message] || 'no message']),
  ...data.left_out.map(([name, reason]) => [name, 'not readable', reason]),
  ...data.curve_problems.map(([name, reason]) => [name, 'no curve', reason])];
  section.append(el('h3', null, 'Runs that are in no mean or in no curve'));
  if (data.n_partial) {
    section.append(el('p', null, plural(data.n_partial, 'run') + ' unfinished; the same command ' +
      'finishes them.'));
  }
  if (!rows.length) {
    section.append(el('p', null, 'None: every finished run was used.'));
    return;
  }
  const table = makeTable('Runs that are in no mean or in no curve');
  table.update([{ title: 'run folder', text: true, value: (row) => row[0] },
    { title: 'state', value: (row) => row[1] },
    { title: 'reason', text: true, value: (row) => row[2] }], rows);
  section.append(table.node);
}

/* ---- files ---- */

async function copy(text, button) {
  const title = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch (problem) {
    button.textContent = 'Select it above and copy';
  }
  setTimeout(() => { button.textContent = title; }, 1800);
}

function latexPart(section) {
  if (!data.latex.length) {
    return;
  }
  section.append(el('h3', null, 'LaTeX tables'), el('p', null, 'In the papers\u2019 layout, with ' +
    'booktabs: variants down, tasks across; a table for each setting, and one over all of them.'));
  for (const [file, title, text] of data.latex) {
    const button = el('button', { type: 'button', onclick: () => copy(text, button) }, 'Copy');
    section.append(el('details', { class: 'block no-print' },
      el('summary', null, title + ' ', el('a', { href: file }, el('code', null, file))),
      el('pre', { tabindex: 0 }, text), button));
  }
}

function filesSection(section) {
  const link = (file, text) => el('li', null, el('a', { href: file }, el('code', null, file)), text);
  section.append(el('ul', null,
    link('report.md', ': the same findings and tables as text'),
    link('runs.csv', ': a row a run, with the hash of its final weights'),
    link('cells.csv', ': a row a cell, with the ids of its runs'),
    link('heads.csv', ': a row an attention head'),
    link('comparisons.csv', ': a row a comparison with the baseline'),
    link('overview.csv', ': averages over configurations'),
    link('report.json', ': all of it for programs'),
    data.settings.filter((setting) => setting.figures && setting.figures.length).map((setting) =>
      el('li', null, 'figures' + (data.settings.length > 1 ? ' (' + setting.title + ')' : '') + ': ',
        setting.figures.map(([file, title], i) => [i ? ', ' : '', el('a', { href: file }, title)])))));
  latexPart(section);
  const rules = new Map();
  [...data.findings, ...data.settings.flatMap((setting) => setting.findings || [])].forEach((item) =>
    rules.set(item.rule, true));
  if (rules.size) {
    section.append(el('h3', null, 'The rules behind the findings'),
      el('ul', null, [...rules.keys()].map((rule) => el('li', null, rule))));
  }
  section.append(el('h3', null, 'What is averaged'), el('p', null, 'A cell holds the runs whose ' +
    'configuration, program and class of machine are identical except for the seed; nothing else is ' +
    'ever averaged. A run\u2019s folder holds its curve, its attention maps and run.json with ' +
    'machine, build and timings.'));
  leftOutPart(section);
}
