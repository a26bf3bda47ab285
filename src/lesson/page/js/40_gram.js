/* Part 2: keys as arrows in the plane; their scores are a Gram matrix as long as queries are keys. */

widgets.gram = (root) => {
  const LIMIT = 2;
  const names = ['1', '2', '3', '4'];
  const start = { k: [[1.2, 0.4], [0.5, 1.3], [-1.1, 0.8], [-0.3, -1.2]] };
  start.q = nearKeys(start.k);
  let state = JSON.parse(JSON.stringify(start));
  let shared = true;
  const handles = [];

  /* Queries begin along the keys, where they change nothing: what they can do is for the reader. */
  function nearKeys(k) {
    return k.map((key) => key.map((v) => 0.8 * v));
  }

  const drawing = svg('svg', { viewBox: '-220 -220 440 440', role: 'group',
    'aria-label': t('js.gram.plane') });
  for (let i = -2; i <= 2; i++) {
    drawing.append(svg('line', { class: i ? 'grid' : 'axis', x1: 100 * i, x2: 100 * i, y1: -210, y2: 210 }),
      svg('line', { class: i ? 'grid' : 'axis', y1: 100 * i, y2: 100 * i, x1: -210, x2: 210 }));
  }

  function place(kind, i, point) {
    state[kind][i] = point.map((v) => Math.round(Math.min(Math.max(v, -LIMIT), LIMIT) * 20) / 20);
    draw();
  }

  function makeHandle(kind, i) {
    const colour = 'var(--s' + (kind === 'k' ? 2 : 1) + ')';
    const arrow = svg('line', { stroke: colour, 'stroke-width': kind === 'k' ? 4 : 3,
      'stroke-dasharray': kind === 'k' ? '' : '7 4' });
    const mark = kind === 'k' ? svg('circle', { r: 10, fill: colour })
      : svg('rect', { x: -9, y: -9, width: 18, height: 18, fill: colour });
    const text = svg('text', { 'text-anchor': 'middle', 'dominant-baseline': 'central' }, kind + names[i]);
    const group = svg('g', { class: 'handle', tabindex: 0, role: 'slider', 'aria-valuemin': -LIMIT,
      'aria-valuemax': LIMIT }, svg('circle', { class: 'ring', r: 20 }), mark, text);
    const point = (event) => {
      const box = drawing.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width * 4.4 - 2.2,
        2.2 - (event.clientY - box.top) / box.height * 4.4];
    };
    group.addEventListener('pointerdown', (event) => {
      group.setPointerCapture(event.pointerId);
      group.focus();
      event.preventDefault();
    });
    group.addEventListener('pointermove', (event) => {
      if (group.hasPointerCapture(event.pointerId)) {
        place(kind, i, point(event));
      }
    });
    group.addEventListener('keydown', (event) => {
      const step = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[
        event.key];
      if (step) {
        event.preventDefault();
        const size = event.shiftKey ? 0.5 : 0.1;
        place(kind, i, state[kind][i].map((v, c) => v + step[c] * size));
        say(group.getAttribute('aria-valuetext') + '. ' + verdict.textContent);
      }
    });
    drawing.append(arrow, group);
    handles.push({ kind, i, arrow, group, text });
  }
  names.forEach((name, i) => makeHandle('q', i));
  names.forEach((name, i) => makeHandle('k', i));

  const scores = makeMatrix(t('js.gram.scores'), names, names, { diagonal: true });
  const shares = makeMatrix(t('js.gram.shares'), names, names, { diagonal: true });
  const verdict = el('p', { class: 'says' });
  const goals = el('ul', { class: 'goals' });
  const table = el('div');

  function drawHandles() {
    handles.forEach(({ kind, i, arrow, group, text }) => {
      const [x, y] = state[kind][i];
      const length = Math.hypot(x, y) || 1;
      const [ux, uy] = kind === 'k' ? [x / length, y / length] : [-y / length, x / length];
      text.setAttribute('x', 25 * ux); /* beyond the tip of a key, beside that of a query */
      text.setAttribute('y', -25 * uy);
      const off = kind === 'q' && shared;
      arrow.setAttribute('x2', 100 * x);
      arrow.setAttribute('y2', -100 * y);
      arrow.style.display = group.style.display = off ? 'none' : '';
      group.setAttribute('transform', 'translate(' + 100 * x + ' ' + -100 * y + ')');
      group.setAttribute('aria-label', t(kind === 'k' ? 'js.gram.key' : 'js.gram.query',
        { i: names[i] }));
      group.setAttribute('aria-valuenow', x);
      group.setAttribute('aria-valuetext', '(' + fixed(x, 2) + ', ' + fixed(y, 2) + ')');
    });
  }

  /* i prefers j to itself: its score there is above its score with itself. */
  function draw() {
    const q = shared ? state.k : state.q;
    const s = q.map((a) => state.k.map((b) => dot(a, b)));
    const a = s.map(softmax);
    const ranked = names.map((name, i) => names.map((other, j) => i !== j && s[i][j] > s[i][i] + 1e-9));
    drawHandles();
    scores.set(s, (value) => fixed(value, 2));
    shares.set(a, (value) => fixed(value, 2), (i, j) => a[i][j]);
    const pairs = [];
    let mutual = 0;
    let one = 0;
    let over = -Infinity;
    let most = 0;
    for (let i = 0; i < 4; i++) {
      for (let j = i + 1; j < 4; j++) {
        const top = Math.max(s[i][i], s[j][j]);
        over = Math.max(over, s[i][j] - top, s[j][i] - top);
        mutual += ranked[i][j] && ranked[j][i];
        one += ranked[i][j] || ranked[j][i];
        most = Math.max(most, a[i][j] + a[j][i]);
        pairs.push([names[i] + ', ' + names[j], fixed(Math.max(s[i][j], s[j][i]), 2), fixed(top, 2),
          t(ranked[i][j] ? 'js.yes' : 'js.no'), t(ranked[j][i] ? 'js.yes' : 'js.no'),
          fixed(a[i][j] + a[j][i], 2)]);
      }
    }
    clear(table, makeTable(['pair', 'score', 'diagonal', 'first', 'second', 'sum'].map((key) =>
      subscripts(t('js.gram.' + key))), pairs, [1, 2, 5]));
    const symmetric = largestDifference(s, s[0].map((x, j) => s.map((row) => row[j]))) < 1e-9;
    clear(verdict, t(symmetric ? 'js.gram.symmetric' : 'js.gram.asymmetric'), ' ',
      t(over <= 1e-9 ? 'js.gram.below' : 'js.gram.above', { over: fixed(over, 2) }));
    clear(goals, [[one, 'js.gram.goal1'], [mutual, 'js.gram.goal2'], [most > 1 + 1e-9, 'js.gram.goal3']].map(
      ([reached, key]) => el('li', { class: reached ? 'good' : '' }, reached ? '✓ ' : '○ ', subscripts(t(key)))));
    root.dataset.mutual = mutual;
    root.dataset.over = over;
    root.dataset.most = most;
  }

  /* The query of length LIMIT that gives key j the largest share, of all directions in steps of 5 degrees. */
  function queryFor(j) {
    return range(72).map((step) => {
      const q = [Math.cos(step * Math.PI / 36), Math.sin(step * Math.PI / 36)].map((v) =>
        Math.round(LIMIT * v * 20) / 20);
      return { q, share: softmax(state.k.map((key) => dot(q, key)))[j] };
    }).reduce((best, other) => (other.share > best.share ? other : best));
  }

  /* Shares above one half on both sides are all that is wished for: of the keys that can have most of a
   * row, the two that can have the most. */
  const solve = button(t('js.gram.solve'), () => {
    const best = names.map((name, j) => Object.assign({ j }, queryFor(j)))
      .sort((x, y) => y.share - x.share);
    state.q[best[0].j] = best[1].q;
    state.q[best[1].j] = best[0].q;
    draw();
  }, { hidden: true });

  append(root, [
    el('div', { class: 'controls' },
      check(t('js.gram.free'), false, (free) => {
        shared = !free;
        state.q = nearKeys(state.k);
        solve.hidden = shared;
        draw();
      }),
      button(t('js.reset'), () => {
        state = JSON.parse(JSON.stringify(start));
        draw();
      }), solve),
    el('div', { class: 'row' }, el('div', { class: 'plane' }, drawing),
      el('div', null, scores.node, shares.node),
      el('div', { class: 'wishes' }, el('p', null, t('js.gram.goals')), goals, verdict,
        table))]);
  draw();
};
