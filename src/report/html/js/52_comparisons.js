/* Each variant against the baseline, with interval and verdict, as computed by the program. */

function comparisonsSection(section) {
  if (!data.comparisons.some((item) => item.rows.length)) {
    return false;
  }
  let index = 0;
  const table = makeTable('Comparisons with the baseline');
  const note = el('p', { class: 'note' });
  const name = (id) => (data.variants.find((variant) => variant.id === id) || { name: id }).name;
  const digits = () => (data.comparisons[index].step ? 1 : 3);
  const rounded = (value) => (Number(value.toFixed(digits())) === 0 && value !== 0
    ? value.toPrecision(1) : value.toFixed(digits()));
  const signed = (value) => (value === null ? null : (value > 0 ? '+' : '') + rounded(value));
  const p = (value) => (value === null ? null : value < 0.0001 ? '< 0.0001' : value.toFixed(4));
  const columns = [
    { title: 'task', value: (row) => data.tasks[row.task].title }, variantColumn,
    { title: 'difference', number: true, value: (row) => row.difference, show: (row) =>
      runsLink({ task: row.task, variant: row.variant }, signed(row.difference) || '–') },
    { title: '95 % interval', number: true, value: (row) => row.low, show: (row) =>
      (row.low === null ? null : signed(row.low) + ' to ' + signed(row.high)) },
    { title: 'pairs', number: true, value: (row) => row.n_pair },
    { title: 'configurations', number: true, value: (row) => row.n_configuration },
    { title: 'above / below', value: (row) => row.n_above, show: (row) =>
      row.n_above + ' / ' + row.n_below },
    { title: 'p', number: true, value: (row) => row.p, show: (row) => p(row.p) },
    { title: 'p (Holm)', number: true, value: (row) => row.p_holm, show: (row) => p(row.p_holm) },
    { title: 'verdict', text: true, value: (row) => row.words, show: (row) =>
      el('span', { class: row.verdict }, row.words) },
  ];
  const update = () => {
    const current = data.comparisons[index];
    const rows = current.rows.filter((row) => rowMatches(row, row.words));
    table.update(columns, rows, current.title + ', variant minus ' + name(data.baseline));
    clear(note, 'Pairs share the seed, and with it the data and their order. ',
      current.n_tested > 0 && 'p-values come from a sign-flip test and are corrected by Holm over ' +
        'the ' + plural(current.n_tested, 'comparison') + ' of this table; intervals are bootstrap ' +
        'intervals and not corrected. ',
      data.settings.length > 1 && 'The filter by d, L, H and T does not apply here: pairs are ' +
        'collected over all configurations.');
  };
  section.append(el('div', { class: 'controls' }, select('Measure',
    data.comparisons.map((item, i) => [i, item.title + (item.images ? ' (images)' : '')]), 0,
    (value) => {
      index = Number(value);
      update();
    })), table.node, note);
  onFilter(update);
  update();
  return true;
}
