/* What the runs say, and what was run. */

function findingsList(findings) {
  const list = el('ul', { class: 'findings' });
  for (const finding of findings.filter((item) => item.headline)) {
    list.append(el('li', null, sentence(finding.text)));
  }
  if (!list.firstChild) {
    list.append(el('li', null, 'Too few variants to compare.'));
  }
  return list;
}

function caveat(setting) {
  return el('p', { class: 'note' }, 'With ' + plural(setting.seeds.length, 'seed') +
    ' these sentences describe what the runs did; only what is said to be tested was. Differences ' +
    'are paired: the same seed gives every variant the same data in the same order.');
}

/* With more settings than this what each says is folded away once more. */
const MANY = 12;

function settingBlocks(shown) {
  return shown.map((i, place) => el('details', { class: 'block', open: place === 0 },
    el('summary', null, settingName(i)), findingsList(data.settings[i].findings),
    caveat(data.settings[i])));
}

function findingsSection(section) {
  const node = el('div');
  const update = () => {
    const shown = settingsShown(false);
    if (shown.length === 1) {
      const setting = data.settings[shown[0]];
      clear(node, data.settings.length > 1 && el('p', null, el('strong', null, settingName(shown[0]))),
        findingsList(setting.findings), caveat(setting));
      return;
    }
    clear(node, shown.length > 1 && el('p', { class: 'note' }, 'The runs belong to ' + shown.length +
      ' settings, which differ in configuration, program or class of machine. Each is ' +
      'told of alone; only what speaks of all configurations averages over them.'),
    shown.length > MANY ? el('details', { class: 'block' },
      el('summary', null, 'Each of the ' + shown.length + ' settings'), settingBlocks(shown))
      : settingBlocks(shown),
    shown.length === 0 && el('p', { class: 'muted' },
      data.settings.every((setting) => setting.images)
        ? 'All runs are on images: see the tables.' : 'Nothing matches the filter.'));
  };
  if (data.run_notes.length) {
    section.append(el('ul', { class: 'findings notes' },
      data.run_notes.map((note) => el('li', null, note))));
  }
  if (data.findings.some((item) => item.headline)) {
    section.append(el('h3', null, 'What the tests say of all runs'), findingsList(data.findings),
      el('h3', null, 'What the runs did'));
  }
  section.append(node);
  onFilter(update);
  update();
}

/* ---- what was run ---- */

function facts(pairs) {
  return el('dl', { class: 'facts' },
    pairs.map(([name, value]) => [el('dt', null, name), el('dd', null, value)]));
}

function differences(setting, first) {
  const list = [];
  for (const part of ['config', 'machine']) {
    for (const [key, value] of Object.entries(setting[part])) {
      if (first[part][key] !== value) {
        list.push(key + ' ' + value + ' (' + (first[part][key] || '–') + ')');
      }
    }
  }
  return list.join(', ');
}

function settingFacts(setting) {
  const missing = setting.images ? 0 : setting.n_expected - setting.n_ok;
  return facts([
    ['runs', setting.n_ok + ' finished of ' + setting.n_run +
      (missing > 0 ? '; ' + missing + ' combinations of variant, task and seed are missing' : '')],
    setting.images ? ['images', setting.n_train + ' for training, ' + setting.n_test + ' for testing' +
      (setting.is_published ? '' : '; not the published images')]
      : ['seeds', setting.seeds.join(', ')],
    ['training', plural(setting.steps, 'step')],
    ['configuration', Object.entries(setting.config).map((pair) => pair.join(' ')).join(', ')],
    ...Object.entries(setting.machine),
  ]);
}

function settingsTable() {
  const table = makeTable('Settings');
  const first = data.settings[0];
  const columns = [
    { title: 'setting', number: true, value: (i) => i + 1, show: (i) =>
      runsLink({ setting: i }, String(i + 1)) },
    { title: 'kind', value: (i) => (data.settings[i].images ? 'images' : 'tasks') },
    ...AXES.map(([axis]) => ({ title: axis, number: true, value: (i) => data.settings[i][axis] })),
    { title: 'steps', number: true, value: (i) => data.settings[i].steps },
    { title: 'finished runs', number: true, value: (i) => data.settings[i].n_ok },
    { title: 'differs from setting 1 in', text: true, value: (i) =>
      (i === 0 ? '–' : differences(data.settings[i], first)) },
  ];
  table.update(columns, data.settings.map((setting, i) => i));
  return table.node;
}

function methodSection(section) {
  const tasks = data.tasks.map((task) => task.title + (task.formula ? ' (' + task.formula + ')' : ''));
  const variants = data.variants.map((variant) => [variant,
    data.cells.find((cell) => cell.variant === variant)]);
  section.append(facts([['tasks', tasks.join('; ')]]));
  if (data.settings.length > 1) {
    section.append(settingsTable());
  }
  const blocks = data.settings.map((setting, i) =>
    el('details', { class: 'block', open: data.settings.length === 1 },
      el('summary', null, settingName(i)), settingFacts(setting)));
  append(section, blocks.length > MANY ? [el('details', { class: 'block' },
    el('summary', null, 'Each of the ' + blocks.length + ' settings'), blocks)] : blocks);
  const table = makeTable('What each variant learns with');
  table.update([
    { title: 'variant', head: true, value: (row) => row[0].name },
    { title: 'id', value: (row) => row[0].id, show: (row) => el('code', null, row[0].id) },
    { title: 'projections for Q, K, V', number: true, value: (row) => row[0].n_slot },
    { title: 'Q K^T', value: (row) => (row[0].product_symmetric ? 'symmetric' : 'any') },
    { title: 'scores that enter the softmax', value: (row) =>
      (row[0].scores_symmetric ? 'symmetric' : 'any') },
  ], variants);
  section.append(el('h3', null, 'Variants'), table.node);
}
