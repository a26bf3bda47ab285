/* Part 1: every product of one attention head, on numbers that can be checked by hand. */

widgets.products = (root) => {
  const tokens = ['A', 'B', 'C', 'D'];
  const pair = ['1', '2'];
  const start = { X: [[1, 0], [0, 1], [1, 1], [-1, 1]], Q: [[0, 2], [1, 0]], K: [[1, 1], [0, 1]],
    V: [[1, 0], [0, 3]] };
  const sources = { qkv: { Q: 'Q', K: 'K', V: 'V' }, qk: { Q: 'Q', K: 'Q', V: 'V' },
    kv: { Q: 'Q', K: 'K', V: 'K' }, qv: { Q: 'Q', K: 'K', V: 'Q' },
    qkv_tied: { Q: 'Q', K: 'Q', V: 'Q' } };
  let state = JSON.parse(JSON.stringify(start));
  let sharing = 'qkv';
  let values = {};
  const root2 = Math.SQRT2;

  const says = el('p', { class: 'says follows', 'aria-live': 'polite' }, t('js.products.hint'));
  const matrices = {};
  const marks = [];

  function unmark() {
    marks.splice(0).forEach((matrix) => {
      matrix.mark('used', () => false);
      matrix.mark('now', () => false);
    });
  }

  function explain(result, i, j, used, text) {
    unmark();
    used.forEach(([matrix, chosen]) => {
      matrix.mark('used', chosen);
      marks.push(matrix);
    });
    result.mark('now', (r, c) => r === i && c === j);
    marks.push(result);
    says.textContent = text;
  }

  const terms = (a, b) => a.map((x, k) => short(x) + '·' + (b[k] < 0 ? '(' + short(b[k]) + ')'
    : short(b[k]))).join(' + ').replace(/\+ \u2212/g, '\u2212 ');

  /* One of Q, K, V: two tables of its own beside the result, since a table has one place. */
  function projection(role) {
    const x = makeMatrix('X', tokens, pair, {});
    const w = makeMatrix('W_' + role, pair, pair, { edit(i, j, value) {
      state[sources[sharing][role]][i][j] = value;
      draw();
    } });
    const result = makeMatrix(role, tokens, pair, { point(i, j) {
      const column = values.W[role].map((row) => row[j]);
      explain(result, i, j, [[x, (r) => r === i], [w, (r, c) => c === j]],
        role + '(' + tokens[i] + ', ' + pair[j] + ') = ' + terms(state.X[i], column) + ' = ' +
        short(values[role][i][j]));
    } });
    matrices[role] = { x, w, result };
    return el('div', { class: 'product' }, el('h4', null, subscripts(t('js.products.' + role))),
      el('div', { class: 'equation' }, x.node, el('span', { class: 'sign' }, '·'), w.node,
        el('span', { class: 'sign' }, '='), result.node));
  }

  const x = makeMatrix('X', tokens, pair, { edit(i, j, value) {
    state.X[i][j] = value;
    draw();
  } });

  function block(name, title, left, right, sign, result) {
    matrices[name] = { left, right, result };
    return el('div', { class: 'product' }, el('h4', null, title),
      el('div', { class: 'equation' }, left.node, right && el('span', { class: 'sign' }, sign),
        right && right.node, el('span', { class: 'sign' }, right ? '=' : '→'), result.node));
  }

  const q = makeMatrix('Q', tokens, pair, {});
  const k = makeMatrix('K', tokens, pair, {});
  const score = makeMatrix('S', tokens, tokens, { diagonal: true, point(i, j) {
    explain(score, i, j, [[q, (r) => r === i], [k, (r) => r === j]],
      'S(' + tokens[i] + ', ' + tokens[j] + ') = ' + terms(values.Q[i], values.K[j]) + ' = ' +
      short(values.S[i][j]));
  } });
  const scoreAgain = makeMatrix('S', tokens, tokens, {});
  const share = makeMatrix('A', tokens, tokens, { diagonal: true, point(i, j) {
    const list = values.S[i].map((s) => fixed(Math.exp(s / root2), 2));
    explain(share, i, j, [[scoreAgain, (r) => r === i]],
      'A(' + tokens[i] + ', ' + tokens[j] + ') = e^(' + short(values.S[i][j]) + '/√2) / Σ = ' +
      list[j] + ' / (' + list.join(' + ') + ') = ' + fixed(values.A[i][j], 2));
  } });
  const shareAgain = makeMatrix('A', tokens, tokens, {});
  const v = makeMatrix('V', tokens, pair, {});
  const out = makeMatrix('O', tokens, pair, { point(i, j) {
    explain(out, i, j, [[shareAgain, (r) => r === i], [v, (r, c) => c === j]],
      'O(' + tokens[i] + ', ' + pair[j] + ') = ' +
      values.A[i].map((a, r) => fixed(a, 2) + '·' + short(values.V[r][j])).join(' + ') + ' = ' +
      fixed(values.O[i][j], 2));
  } });

  function draw() {
    values = { W: {} };
    ['Q', 'K', 'V'].forEach((role) => {
      values.W[role] = state[sources[sharing][role]];
      values[role] = multiply(state.X, values.W[role]);
    });
    values.S = values.Q.map((a) => values.K.map((b) => dot(a, b)));
    values.A = values.S.map((row) => softmax(row.map((s) => s / root2)));
    values.O = multiply(values.A, values.V);
    x.set(state.X);
    ['Q', 'K', 'V'].forEach((role) => {
      matrices[role].x.set(state.X);
      matrices[role].w.set(values.W[role]);
      matrices[role].result.set(values[role]);
    });
    q.set(values.Q);
    k.set(values.K);
    v.set(values.V);
    score.set(values.S);
    scoreAgain.set(values.S);
    const two = (value) => fixed(value, 2);
    share.set(values.A, two, (i, j) => values.A[i][j]);
    shareAgain.set(values.A, two, (i, j) => values.A[i][j]);
    out.set(values.O, two);
    const symmetric = values.S.every((row, i) => row.every((s, j) => s === values.S[j][i]));
    clear(verdict, t(symmetric ? 'js.products.symmetric' : 'js.products.asymmetric'));
  }

  const verdict = el('p', { class: 'says' });
  const ids = ['qkv', 'qk', 'kv', 'qv', 'qkv_tied'];
  const names = { qkv: 'Q, K, V', qk: 'Q = K', kv: 'K = V', qv: 'Q = V', qkv_tied: 'Q = K = V' };
  append(root, [
    el('div', { class: 'controls' },
      select(t('js.products.sharing'), ids.map((id) => [id, names[id]]), 'qkv', (id) => {
        sharing = id;
        unmark();
        draw();
      }),
      button(t('js.reset'), () => {
        state = JSON.parse(JSON.stringify(start));
        unmark();
        draw();
      })),
    el('div', { class: 'product' }, el('h4', null, t('js.products.X')), x.node),
    el('div', null, el('div', { class: 'products' }, ['Q', 'K', 'V'].map(projection),
      block('S', t('js.products.S'), q, k, '·', score),
      block('A', t('js.products.A'), scoreAgain, null, '', share),
      block('O', t('js.products.O'), shareAgain, v, '·', out)), verdict, says)]);
  root.addEventListener('pointerleave', unmark);
  draw();
};
