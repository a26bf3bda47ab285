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
  const p = (value) => (value === null ? null
    : value < 0.0001 ? '< 0.0001' : value.toFixed(value < 0.001 ? 4 : 3));
  const signed = (value) => signedText(value, digits());
  const columns = [
    { title: 'task', value: (row) => data.tasks[row.task].title }, variantColumn,
    { title: 'difference', number: true, value: (row) => row.difference, show: (row) =>
      runsLink({ task: row.task, variant: row.variant }, signed(row.difference) || '–') },
    { title: '95 % interval', number: true, tested: true, value: (row) => row.low, show: (row) =>
      (row.low === null ? null : signed(row.low) + ' to ' + signed(row.high)) },
    { title: 'verdict', text: true, tested: true, value: (row) => row.short, show: (row) =>
      el('span', { class: row.verdict }, row.short) },
    { title: 'pairs', number: true, value: (row) => row.n_pair },
    data.settings.length > 1 && { title: 'configs', number: true, hint: 'configurations',
      value: (row) => row.n_configuration },
    { title: 'above, below', number: true, hint: 'pairs with a difference above 0, below 0',
      value: (row) => row.n_above - row.n_below, show: (row) => row.n_above + ', ' + row.n_below },
    { title: 'p', number: true, tested: true, value: (row) => row.p, show: (row) => p(row.p) },
    { title: 'p (Holm)', number: true, tested: true, value: (row) => row.p_holm,
      show: (row) => p(row.p_holm) },
    { title: 'needed', number: true, tested: true, hint: 'about how many it would take to see a ' +
      'difference of this size', value: (row) => row.needed || null },
  ].filter((column) => column);
  const folded = el('details', { class: 'block' }, el('summary', null, 'The differences, untested'));
  const box = el('div');
  const update = () => {
    const current = data.comparisons[index];
    const rows = current.rows.filter((row) => rowMatches(row, row.words));
    const tested = current.n_tested > 0;
    table.update(columns.filter((column) => tested || !column.tested), rows,
      capital(current.title) + ', variant minus ' + name(data.baseline));
    if (tested) {
      clear(box, table.node);
    } else {
      folded.append(table.node);
      clear(box, el('p', null, 'Not tested: no variant has ' + data.min_pair + ' pairs with its ' +
        'baseline in ' + current.title + ', and fewer let nothing be concluded.'), folded);
    }
    clear(note, 'Pairs share the configuration and the seed, and with it the data and their order. ',
      current.step && 'Only pairs in which both got there count. ',
      tested && 'p-values come from a sign-flip test and are corrected by Holm over the ' +
        plural(current.n_tested, 'comparison') + ' of this table; intervals are bootstrap ' +
        'intervals and not corrected. \u201cBefore correction\u201d: it would pass as the only ' +
        'comparison. Where most pairs do not differ, an interval may leave out 0 and the test not ' +
        'pass: flipping signs changes only the few that do, and the verdict is the test\u2019s. ' +
        'Needed: about how many it would take to see a difference of ' +
        'this size. ',
      data.settings.length > 1 && 'The filter by d, L, H and T does not apply here: pairs are ' +
        'collected over all configurations.');
  };
  section.append(el('div', { class: 'controls' }, select('Measure',
    data.comparisons.map((item, i) => [i, capital(item.title) + (item.images ? ' (images)' : '')]), 0,
    (value) => {
      index = Number(value);
      update();
    })), box, note);
  onFilter(update);
  update();
  return true;
}
