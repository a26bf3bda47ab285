/* Part 4: the published term beside a scale of the scores and a bias of each key, number by number. */

function sincos(position, n, channel) {
  const angle = position * 10000 ** (-2 * Math.floor(channel / 2) / n);
  return channel % 2 ? Math.cos(angle) : Math.sin(angle);
}

widgets.plus = (root) => {
  const N = 4;
  const M = data.pos_dim;
  const HALF = Math.floor(M / 2);
  const names = range(N).map(String);
  const keys = [[1.1, 0.2], [0.3, 0.9], [-0.8, 0.6], [-0.2, -1]];
  const scores = keys.map((a) => keys.map((b) => dot(a, b)));
  let seed = 44;
  let w = [];
  let a = 1;
  let b = 0;
  let c = [0, 0, 0, 0];
  let rows = true;
  let keysToo = false; /* the key bias comes second */

  /* A small generator, so that the same button gives the same numbers in every classroom. */
  function random() {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  }

  const target = makeMatrix(t('js.plus.target'), names, names, {});
  const mine = makeMatrix(t('js.plus.mine'), names, names, {});
  const plain = makeMatrix(t('js.plus.scores'), names, names, { diagonal: true });
  const parts = el('div');
  const says = el('p', { class: 'says', role: 'status' });
  const rowSays = el('p', { class: 'says' });

  function pieces() {
    const of = (first, n, position) => sum(range(n).map((k) => w[first + k] * sincos(position, n, k)));
    return { a: sum(w), r: names.map((name, i) => of(0, HALF, i)),
      c: names.map((name, j) => (keysToo ? of(HALF, M - HALF, j) : 0)) };
  }

  function draw() {
    const p = pieces();
    const full = scores.map((row, i) => softmax(row.map((s, j) =>
      s * p.a + (rows ? p.r[i] + b : 0) + p.c[j])));
    const other = scores.map((row, i) => softmax(row.map((s, j) =>
      s * p.a + (rows ? 0 : p.r[i] + b) + p.c[j])));
    const own = scores.map((row) => softmax(row.map((s, j) => s * a + (keysToo ? c[j] : 0))));
    const two = (value) => fixed(value, 2);
    plain.set(scores, two);
    target.set(full, two, (i, j) => full[i][j]);
    mine.set(own, two, (i, j) => own[i][j]);
    biases.forEach((bias) => {
      bias.node.hidden = !keysToo;
    });
    clear(parts, makeTable(['', ...names], [[subscripts(t('js.plus.row')), ...p.r.map(two)],
      [subscripts(t('js.plus.column')), ...p.c.map(two)],
      [subscripts(t('js.plus.sum')), two(p.a), el('td', { colspan: N - 1 })],
      ['b', two(b), el('td', { colspan: N - 1 })]], range(N + 1).slice(1)));
    clear(rowSays, subscripts(t('js.plus.cancels', {
      difference: largestDifference(full, other).toExponential(1) })));
    const far = largestDifference(full, own);
    says.className = 'says screen' + (far < 0.02 ? ' good' : '');
    clear(says, subscripts(t(far < 0.02 ? 'js.plus.same' : keysToo ? 'js.plus.far' : 'js.plus.first', {
      difference: far < 1e-4 ? far.toExponential(1) : fixed(far, 3) })));
    root.dataset.far = far;
  }

  const scale = slider(t('js.plus.scale'), { min: -4, max: 4, step: 0.05, value: a }, (value) => {
    a = value;
    draw();
  });
  const biases = names.map((name, j) => slider(t('js.plus.bias', { j }), { min: -4, max: 4, step: 0.05,
    value: 0 }, (value) => {
    c[j] = value;
    draw();
  }));

  function set(newA, newC) {
    a = newA;
    c = newC;
    scale.set(a);
    biases.forEach((bias, j) => bias.set(c[j]));
    draw();
  }

  function another() {
    w = range(M).map(() => (random() * 2 - 1) * 0.9);
    b = random() * 2 - 1;
    draw();
  }

  append(root, [
    el('div', { class: 'controls' },
      select(t('js.plus.stage'), [[0, t('js.plus.stage1')], [1, t('js.plus.stage2')]], 0, (value) => {
        keysToo = value === '1';
        draw();
      }),
      button(t('js.plus.another'), another),
      button(t('js.plus.solve'), () => {
        const p = pieces();
        set(p.a, p.c);
      }),
      button(t('js.reset'), () => set(1, [0, 0, 0, 0]))),
    el('div', { class: 'row' }, plain.node, target.node, mine.node,
      el('div', { class: 'sliders' }, scale.node, biases.map((bias) => bias.node))),
    says,
    el('details', { class: 'numbers' }, el('summary', null, subscripts(t('js.plus.parts'))), parts,
      check(el('span', null, subscripts(t('js.plus.keeprow'))), true, (on) => {
        rows = on;
        draw();
      }), rowSays)]);
  another();
};

/* The relative term alone: what a sine of the distance does that no row or column part can. */
widgets.relative = (root) => {
  const N = 6;
  const names = range(N).map(String);
  let w = [0, 3];
  const map = makeMatrix(t('js.relative.map'), names, names, {});
  const says = el('p', { class: 'says', role: 'status' });

  function draw() {
    const scores = names.map((n1, i) => names.map((n2, j) => w[0] * Math.sin(i - j) + w[1] * Math.cos(i - j)));
    const shares = scores.map(softmax);
    map.set(shares, (value) => fixed(value, 2), (i, j) => shares[i][j]);
    const needed = mean(shares.map((row, i) => row[(i + 1) % N]));
    says.textContent = t(w[0] === 0 ? 'js.relative.symmetric' : 'js.relative.asymmetric',
      { share: fixed(needed, 2) });
  }

  const controls = ['sine', 'cosine'].map((name, k) => slider(t('js.relative.' + name),
    { min: -8, max: 8, step: 0.1, value: w[k] }, (value) => {
      w[k] = value;
      draw();
    }));
  const to = (sine, cosine) => {
    w = [sine, cosine];
    controls.forEach((control, k) => control.set(w[k]));
    draw();
  };
  append(root, [el('div', { class: 'row' }, map.node, el('div', { class: 'sliders' },
    controls.map((control) => control.node),
    button(t('js.relative.solve'), () => to(-7 * Math.sin(1), 7 * Math.cos(1))),
    button(t('js.reset'), () => to(0, 3)))), says]);
  draw();
};
