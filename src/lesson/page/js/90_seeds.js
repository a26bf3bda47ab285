/* Part 6: how much of a difference is the seed's? */

widgets.seeds = (root) => {
  const box = el('div');
  const draw = (task) => clear(box, accuracyDots(task, sharingVariants()));
  append(root, [el('div', { class: 'controls' }, taskChoice(draw)), box]);
  draw(0);
};

function pairsOf(task, variant, baseline) {
  const other = runsOf(task, baseline);
  return runsOf(task, variant).map((run) => ({ run, base: other.find((b) => b.seed === run.seed) }))
    .filter((pair) => pair.base)
    .map((pair) => ({ seed: pair.run.seed, x: pair.run.accuracy - pair.base.accuracy,
      title: seedName(pair.run.seed) }));
}

/* All ways to exchange the two variants within pairs; the share with at least this difference. NaN where they
 * are too many to try, or none. */
function signFlip(values) {
  const n = values.length;
  if (n < 1 || n > 12) {
    return NaN;
  }
  const seen = Math.abs(sum(values));
  let count = 0;
  for (let pattern = 0; pattern < 2 ** n; pattern++) {
    const total = sum(values.map((x, i) => (pattern >> i & 1 ? -x : x)));
    count += Math.abs(total) >= seen - 1e-12;
  }
  return count / 2 ** n;
}

widgets.pairs = (root) => {
  const state = { task: 0, baseline: Math.max(variantIndex('qkv'), 0) };
  const box = el('div');

  const choice = el('div', { class: 'baseline' });

  /* Every variant that was trained on the task, not only those that share. */
  function trained() {
    return range(data.variants.length).filter((i) => runsOf(state.task, i).length);
  }

  function draw() {
    const rows = trained().filter((i) => i !== state.baseline).map((variant) => ({
      label: nameOf(variant), colour: 'var(--s' + variant % 7 + ')',
      values: pairsOf(state.task, variant, state.baseline) })).filter((row) => row.values.length);
    if (!rows.length) {
      clear(box, el('p', null, t('js.none')));
      return;
    }
    const baseline = nameOf(state.baseline);
    clear(box, dots(rows, { zero: true, digits: 3, axis: t('js.pairs.axis', { baseline }),
      label: t('js.pairs.axis', { baseline }) }),
    makeTable(['variant', 'mean', 'above', 'below', 'p'].map((key) => t('js.pairs.' + key)), rows.map((row) => {
      const x = row.values.map((value) => value.x);
      return [row.label, signed(mean(x), 4), String(x.filter((v) => v > 0).length),
        String(x.filter((v) => v < 0).length), fixed(signFlip(x), 3)];
    }), [1, 2, 3, 4]));
  }

  function offer() {
    if (!trained().includes(state.baseline)) {
      state.baseline = Math.max(variantIndex('qkv'), 0);
    }
    clear(choice, select(t('js.pairs.baseline'), trained().map((i) => [i, nameOf(i)]), state.baseline, (value) => {
      state.baseline = Number(value);
      draw();
    }));
    draw();
  }

  append(root, [el('div', { class: 'controls' }, taskChoice((task) => {
    state.task = task;
    offer();
  }), choice), box]);
  offer();
};

/* What three seeds can say: the means of the three lowest and of the three highest differences. */
function rangeOfThree(pairs) {
  const x = pairs.map((pair) => pair.x).sort((a, b) => a - b);
  return { low: mean(x.slice(0, 3)), high: mean(x.slice(-3)), all: mean(x), n: x.length };
}

/* The comparison where that range is the widest. */
function widestSpread() {
  let widest = null;
  data.tasks.forEach((item, task) => range(data.variants.length).forEach((variant) =>
    range(variant).forEach((other) => {
      const found = rangeOfThree(pairsOf(task, variant, other));
      if (found.n > 3 && (!widest || found.high - found.low > widest.high - widest.low)) {
        widest = Object.assign(found, { task, variant, other });
      }
    })));
  return widest;
}

function spreadText() {
  const widest = widestSpread();
  return widest && el('p', null, t('js.mislead.spread', { task: data.tasks[widest.task].title,
    a: nameOf(widest.variant), b: nameOf(widest.other), n: widest.n,
    low: signed(widest.low, 3), high: signed(widest.high, 3), all: signed(widest.all, 3) }));
}

widgets.mislead = (root) => {
  const found = data.mislead;
  if (!found.exists) {
    append(root, [el('p', null, t('js.mislead.none', found)), spreadText()]);
    return;
  }
  const a = nameOf(found.variant);
  const b = nameOf(found.other);
  const task = data.tasks[found.task].title;
  const pairs = pairsOf(found.task, found.variant, found.other);
  const p = signFlip(pairs.map((pair) => pair.x));
  const box = el('div');
  const says = el('p', { class: 'says', role: 'status' });

  function draw(seeds) {
    const values = pairs.map((pair) => Object.assign({}, pair, { chosen: seeds.includes(pair.seed) }));
    const three = mean(values.filter((v) => v.chosen).map((v) => v.x));
    clear(box, dots([{ label: a + ' − ' + b, colour: 'var(--s1)', values }], { zero: true, digits: 3,
      axis: t('js.pairs.axis', { baseline: b }), label: t('js.pairs.axis', { baseline: b }) }));
    says.textContent = t(three > 0 ? 'js.mislead.above' : three < 0 ? 'js.mislead.below' : 'js.mislead.equal',
      { seeds: seeds.join(', '), difference: signed(three, 3), a, b });
  }

  function three() {
    const left = pairs.map((pair) => pair.seed);
    return range(3).map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0])
      .sort((x, y) => x - y);
  }

  append(root, [
    el('p', null, t('js.mislead.range', Object.assign({ a, b, task }, Object.fromEntries(
      Object.entries(rangeOfThree(pairs)).map(([key, value]) => [key, key === 'n' ? value
        : signed(value, 3)]))))),
    el('p', null, t('js.mislead.found', { seeds: found.seeds.join(', '), few: signed(found.few, 3) }), ' ',
      Number.isFinite(p) && t(p < 0.05 ? 'js.mislead.settled' : 'js.mislead.open', { n: found.n_seed,
        p: fixed(p, 3) })),
    el('p', { class: 'muted' }, t('js.mislead.search', found)),
    box, says, el('div', { class: 'controls' },
      button(t('js.mislead.draw'), () => draw(three())),
      button(t('js.mislead.again'), () => draw(found.seeds))), spreadText()]);
  draw(found.seeds);
};

/* Whether two variants keep their order from column to column, if not: where which is ahead. */
function orderSays(rows, columns, first, second) {
  const [a, b] = [first, second].map((id) => rows.find((row) => row.id === id) || {});
  const where = (holds) => columns.filter((key) => typeof a[key] === 'number' && typeof b[key] === 'number' &&
    holds(a[key] - b[key])).map((key) => t('js.published.' + key)).join(', ');
  const above = where((x) => x > 0);
  const below = where((x) => x < 0);
  return above && below && [' ', t('js.published.order', { a: a.name, b: b.name, above, below })];
}

/* Published numbers beside those of this page, never mixed: each column says whose it is. */
widgets.published = (root) => {
  const task = taskIndex('reverse');
  const columns = ['paper', 'reproduction', 'same', 'here'];
  const rows = sharingVariants().map((variant) => {
    const runs = task < 0 ? [] : runsOf(task, variant);
    return Object.assign({ id: data.variants[variant].id, name: data.variants[variant].name }, data.published.find((p) =>
      p.id === data.variants[variant].id), { here: runs.length ? mean(runs.map((run) => run.accuracy))
      : null });
  });
  const isNumber = (value) => typeof value === 'number';
  const lowest = columns.map((column) => rows.filter((row) => isNumber(row[column]))
    .reduce((least, row) => (!least || row[column] < least[column] ? row : least), null));
  const agree = lowest.every((row) => row && row === lowest[0]);
  const cost = agree ? columns.map((column) => Math.max(...rows.map((row) => row[column]).filter(isNumber)) -
    lowest[0][column]) : [];
  append(root, [
    el('p', { class: 'finding', 'data-finding': agree ? 'agree' : 'disagree' },
      agree ? t('js.published.agree', { name: lowest[0].name, low: fixed(Math.min(...cost), 2),
        high: fixed(Math.max(...cost), 2) }) : t('js.published.disagree'), orderSays(rows, columns, 'qk', 'qkv')),
    makeTable(['variant', ...columns].map((key) => t('js.published.' + key)), rows.map((row) =>
      [row.name, ...columns.map((key) => fixed(row[key], 3))]), [1, 2, 3, 4], t('js.published.table'))]);
};

widgets.made = (root) => {
  root.append(el('details', { class: 'numbers' }, el('summary', null, t('js.made.summary',
    { n: data.runs.length })), makeTable(['run', 'accuracy', 'escape', 'hash'].map((key) => t('js.made.' + key)),
    data.runs.map((run) => [el('td', null, el('code', null, run.id)), fixed(run.accuracy, 3),
      run.escape_step === null ? '–' : String(run.escape_step),
      el('code', null, run.hash.slice(0, 12))]), [1, 2])));
};
