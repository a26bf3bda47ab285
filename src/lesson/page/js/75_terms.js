/* Part 4, what became of the score terms in training. Every sentence is computed from the runs, and
 * chosen by them: with other runs it says something else, or nothing. */

/* The mean gain over Q = K on a task, seed by seed. */
function gainOver(task, id) {
  return mean(pairsOf(task, variantIndex(id), variantIndex('qk')).map((pair) => pair.x));
}

/* Which part of + brings its gain. A part that brings nine tenths of it brings all that can be seen, one that
 * brings less than a tenth of it nothing. */
function termsVerdict(gain) {
  const most = (x) => x >= 0.9 * gain.plus;
  const little = (x) => Math.abs(x) <= 0.1 * gain.plus;
  if (gain.plus < 0.02) {
    return 'none';
  }
  if (most(gain.scale) && little(gain.bias)) {
    return 'scale';
  }
  return most(gain.bias) && little(gain.scale) ? 'bias' : 'both';
}

function directionVerdict(gain) {
  const more = gain.relative - gain.plus;
  return more > 0.03 ? 'more' : more < -0.03 ? 'less' : 'same';
}

widgets.terms = (root) => {
  const variants = range(data.variants.length).filter((i) => data.variants[i].sharing_id === 'qk');
  const task = Math.max(taskIndex('shift'), 0);
  const gain = { plus: gainOver(task, 'qk+'), scale: gainOver(task, 'qk:score_term=temperature'),
    bias: gainOver(task, 'qk:score_term=key_bias'), relative: gainOver(task, 'qk:score_term=relative') };
  append(root, [el('h3', null, t('js.terms.title', { task: data.tasks[task].title })),
    accuracyDots(task, variants)]);
  if (Object.values(gain).every(Number.isFinite)) {
    const words = Object.fromEntries(Object.entries(gain).map(([key, x]) => [key, signed(x, 3)]));
    const part = termsVerdict(gain);
    const direction = directionVerdict(gain);
    append(root, [el('p', { class: 'finding', 'data-part': part, 'data-direction': direction },
      t('js.terms.gains', words), ' ', el('strong', null, t('js.terms.' + part)), ' ',
      t('js.terms.direction.' + direction, words)),
    part === 'scale' && el('p', { class: 'muted' }, t('js.terms.start'))]);
  }
};

/* Two stripes: what a symmetric map with + looks like on Shift, and the sign of its scale. */
widgets.stripes = (root) => {
  const task = taskIndex('shift');
  const found = ['qk', 'qk+'].map((id) => data.runs.find((run) => run.maps && run.task === task &&
    run.variant === variantIndex(id)));
  if (!found.every(Boolean)) {
    root.append(el('p', null, t('js.none')));
    return;
  }
  const state = { layer: 0 };
  const box = el('div');

  function card(run) {
    const map = mapAt(run, run.maps.steps.length - 1, state.layer, -1);
    const name = data.variants[run.variant].name;
    const values = { next: fixed(shareAt(map, 1), 2), previous: fixed(shareAt(map, -1), 2),
      self: fixed(shareAt(map, 0), 2) };
    return el('figure', null, el('figcaption', null, el('strong', null, name)),
      paintMap(map, { 'aria-label': name + ': ' + ['next', 'previous', 'self'].map((key) =>
        t('js.stripes.' + key, values)).join(', ') }),
      el('figcaption', null, ['next', 'previous', 'self'].map((key) =>
        el('span', null, t('js.stripes.' + key, values)))));
  }

  /* What the chosen layer of the run with + looks like, in words that hold for it. */
  function looks(run) {
    const map = mapAt(run, run.maps.steps.length - 1, state.layer, -1);
    const [next, previous, self] = [1, -1, 0].map((distance) => shareAt(map, distance));
    return self < 0.05 && Math.min(next, previous) > 0.1 ? 'two' : next > 0.5 ? 'next' : 'other';
  }

  /* The maps of every head of every layer, at the end. */
  function allMaps(run) {
    return [].concat(...range(run.maps.n_layer).map((layer) => range(run.maps.n_head).map((head) =>
      mapAt(run, run.maps.steps.length - 1, layer, head))));
  }

  /* The most rows of any map whose largest share is on the next position. */
  function bestRows(run) {
    return Math.max(...allMaps(run).map((map) => map.filter((row, i) =>
      row[(i + 1) % row.length] === Math.max(...row)).length));
  }

  /* In how many maps a pair's two shares sum to more than 1. Shares are kept as bytes, so that a sum of 1
   * may be read as a little more. */
  function signs(run) {
    const largest = allMaps(run).map(largestPair);
    return { n: largest.filter((x) => x > 1.02).length, all: largest.length,
      most: fixed(Math.max(...largest), 2) };
  }

  /* Where the seed that is shown stands among all seeds of its variant. */
  function place(run) {
    const seeds = amongSeeds(run);
    return t('js.stripes.place', { name: data.variants[run.variant].name, accuracy: fixed(run.accuracy, 3),
      mean: fixed(seeds.mean, 3), n: seeds.n,
      above: runsOf(run.task, run.variant).filter((other) => other.accuracy > run.accuracy).length });
  }

  /* On Reverse a negative scale is what makes a clean anti-diagonal possible. */
  function onReverse() {
    const run = data.runs.find((other) => other.maps && other.task === taskIndex('reverse') &&
      other.variant === found[1].variant);
    const seen = run && signs(run);
    return seen && seen.n > 0 && [t('js.stripes.reverse', Object.assign({
      name: data.variants[run.variant].name }, seen)), ' '];
  }

  function draw() {
    const plus = signs(found[1]);
    const plain = signs(found[0]);
    clear(box, el('div', { class: 'row' }, el('div', { class: 'maps few' }, found.map(card)),
      el('div', { class: 'beside' }, el('p', { class: 'finding', 'data-looks': looks(found[1]), 'data-negative': plus.n },
        t('js.stripes.looks.' + looks(found[1]), { name: data.variants[found[1].variant].name,
          layer: state.layer + 1 }), ' ',
        subscripts(t(plus.n ? 'js.stripes.negative' : 'js.stripes.unknown', plus)), ' ', onReverse(),
        plain.n === 0 && subscripts(t('js.stripes.plain', plain))),
      el('p', null, t('js.stripes.rows', { plain: bestRows(found[0]), plus: bestRows(found[1]),
        all: found[0].maps.n_token })), shareBar())));
  }

  append(root, [el('h3', null, t('js.stripes.title', { task: data.tasks[task].title, seed: found[0].seed })),
    el('p', { class: 'muted' }, found.map(place).join(' ')),
    el('div', { class: 'controls' }, select(t('js.trained.layer'), range(found[0].maps.n_layer).map((i) =>
      [i, String(i + 1)]), 0, (value) => {
      state.layer = Number(value);
      draw();
    })), box]);
  draw();
};
