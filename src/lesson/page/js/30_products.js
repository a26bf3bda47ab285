/* Part 1: every product of one attention head, on numbers that can be checked by hand. Each matrix
 * stands there once, so that what a number is made of fits beside it on one screen. */

widgets.products = (root) => {
  const tokens = t('js.products.tokens').split(' ');
  const pair = ['1', '2'];
  const start = { X: [[1, 0], [0, 1], [1, 1], [-1, 1]], Q: [[0, 2], [1, 0]], K: [[1, 1], [0, 1]],
    V: [[1, 0], [0, 3]] };
  const sources = { qkv: { Q: 'Q', K: 'K', V: 'V' }, qk: { Q: 'Q', K: 'Q', V: 'V' },
    kv: { Q: 'Q', K: 'K', V: 'K' }, qv: { Q: 'Q', K: 'K', V: 'Q' },
    qkv_tied: { Q: 'Q', K: 'Q', V: 'Q' } };
  const roles = ['Q', 'K', 'V'];
  const root2 = Math.SQRT2;
  let state = JSON.parse(JSON.stringify(start));
  let sharing = 'qkv';
  let values = {};

  const says = el('p', { class: 'says follows screen', 'aria-live': 'polite' }, t('js.products.hint'));
  const verdict = el('p', { class: 'says' });
  const matrix = {};

  function unmark() {
    Object.values(matrix).forEach((m) => {
      m.mark('used', () => false);
      m.mark('now', () => false);
    });
  }

  /* On a narrow screen the explanation comes below the table it is about: it must not cover it. */
  function explain(name, i, j, used, text) {
    unmark();
    used.forEach(([other, chosen]) => matrix[other].mark('used', chosen));
    matrix[name].mark('now', (r, c) => r === i && c === j);
    says.textContent = text;
    if (root.clientWidth < 640) {
      matrix[name].node.closest('.product').after(says);
    } else if (says.parentNode !== place) {
      place.append(says);
    }
  }

  const terms = (a, b) => a.map((x, k) => short(x) + '·' + (b[k] < 0 ? '(' + short(b[k]) + ')'
    : short(b[k]))).join(' + ').replace(/\+ \u2212/g, '\u2212 ');
  const named = (name, row, column) => name + '(' + row + ', ' + column + ') = ';

  matrix.X = makeMatrix('X', tokens, pair, { edit(i, j, value) {
    state.X[i][j] = value;
    draw();
  } });
  roles.forEach((role) => {
    matrix['W' + role] = makeMatrix('W_' + role, pair, pair, { edit(i, j, value) {
      state[sources[sharing][role]][i][j] = value;
      draw();
    } });
    matrix[role] = makeMatrix(role, tokens, pair, { point(i, j) {
      explain(role, i, j, [['X', (r) => r === i], ['W' + role, (r, c) => c === j]],
        named(role, tokens[i], pair[j]) + terms(state.X[i], values.W[role].map((row) => row[j])) +
        ' = ' + short(values[role][i][j]));
    } });
  });
  matrix.S = makeMatrix('S', tokens, tokens, { diagonal: true, point(i, j) {
    explain('S', i, j, [['Q', (r) => r === i], ['K', (r) => r === j]],
      named('S', tokens[i], tokens[j]) + terms(values.Q[i], values.K[j]) + ' = ' +
      short(values.S[i][j]));
  } });
  matrix.A = makeMatrix('A', tokens, tokens, { diagonal: true, point(i, j) {
    const list = values.S[i].map((s) => fixed(Math.exp(s / root2), 2));
    explain('A', i, j, [['S', (r) => r === i]],
      named('A', tokens[i], tokens[j]) + 'exp(' + short(values.S[i][j]) + '/√2) / Σ ≈ ' +
      list[j] + ' / (' + list.join(' + ') + ') ≈ ' + fixed(values.A[i][j], 2));
  } });
  matrix.O = makeMatrix('O', tokens, pair, { point(i, j) {
    explain('O', i, j, [['A', (r) => r === i], ['V', (r, c) => c === j]],
      named('O', tokens[i], pair[j]) +
      values.A[i].map((a, r) => fixed(a, 2) + '·' + (values.V[r][j] < 0 ? '(' + short(values.V[r][j]) +
        ')' : short(values.V[r][j]))).join(' + ') + ' ≈ ' + fixed(values.O[i][j], 2));
  } });

  function draw() {
    values = { W: {} };
    roles.forEach((role) => {
      values.W[role] = state[sources[sharing][role]];
      values[role] = multiply(state.X, values.W[role]);
    });
    values.S = values.Q.map((a) => values.K.map((b) => dot(a, b)));
    values.A = values.S.map((row) => softmax(row.map((s) => s / root2)));
    values.O = multiply(values.A, values.V);
    const two = (value) => fixed(value, 2);
    matrix.X.set(state.X);
    roles.forEach((role) => {
      matrix['W' + role].set(values.W[role]);
      matrix[role].set(values[role]);
    });
    matrix.S.set(values.S);
    matrix.A.set(values.A, two, (i, j) => values.A[i][j]);
    matrix.O.set(values.O, two);
    const symmetric = values.S.every((row, i) => row.every((s, j) => s === values.S[j][i]));
    clear(verdict, t(symmetric ? 'js.products.symmetric' : 'js.products.asymmetric'));
  }

  function block(title, ...names) {
    return el('div', { class: 'product' }, el('h4', null, subscripts(title)),
      el('div', { class: 'equation' }, names.map((name) => matrix[name].node)));
  }

  const place = el('div', { class: 'place' }, says);
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
    place,
    el('div', { class: 'products' }, block(t('js.products.X'), 'X'),
      roles.map((role) => block(t('js.products.' + role), 'W' + role, role))),
    el('div', { class: 'products' }, ['S', 'A', 'O'].map((name) => block(t('js.products.' + name), name))),
    verdict]);
  root.addEventListener('pointerleave', unmark);
  draw();
};
