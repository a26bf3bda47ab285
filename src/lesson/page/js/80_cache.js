/* Part 5: the key-value cache. The constants come from the program's table of models and variants;
 * the test of this page compares what is computed here with `qkvlab cost`. */

function cacheBytes(model, variant, context, bytes) {
  const heads = variant.n_kv_head || model.n_head;
  return variant.roles * heads * (model.n_embd / model.n_head) * model.n_layer * bytes * context;
}

function byteText(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return fixed(value, unit && value < 100 ? 2 : 0) + ' ' + units[unit];
}

/* What the runs can say about the price of K = V, and where to look if they cannot. */
function sharingSays(task) {
  const [qkv, kv] = ['qkv', 'kv'].map((id) => runsOf(task, variantIndex(id)));
  if (!qkv.length || !kv.length) {
    return null;
  }
  const [a, b] = [qkv, kv].map((runs) => mean(runs.map((run) => run.accuracy)));
  const key = Math.min(a, b) >= 0.99 ? 'ceiling' : 'apart';
  const row = (id) => data.published.find((p) => p.id === id) || {};
  const sort = (id, key) => fixed(row(id)[key], 3);
  const pairs = pairsOf(task, variantIndex('kv'), variantIndex('qkv')).map((pair) => pair.x);
  const p = signFlip(pairs);
  return [el('p', { class: 'finding', 'data-finding': key }, t('js.sharing.' + key,
    { task: data.tasks[task].title, qkv: fixed(a, 3), kv: fixed(b, 3), difference: signed(b - a, 3) }), ' ',
  p < 0.05 && Math.abs(b - a) < 0.0005 && t('js.sharing.small', { p: fixed(p, 3),
    difference: signed(b - a, 5) })),
  el('p', { class: 'muted' }, t('js.sharing.elsewhere', { paper: sort('kv', 'paper_sort'),
    paper_qkv: sort('qkv', 'paper_sort'), reproduction: sort('kv', 'reproduction_sort'),
    reproduction_qkv: sort('qkv', 'reproduction_sort') }))];
}

widgets.sharing = (root) => {
  const variants = ['qkv', 'kv', 'qv', 'qkv_tied'].map(variantIndex).filter((i) => i >= 0);
  const box = el('div');
  const draw = (task) => clear(box, accuracyDots(task, variants), sharingSays(task));
  append(root, [el('div', { class: 'controls' }, taskChoice(draw)), box]);
  draw(0);
};

widgets.cache = (root) => {
  const models = data.models;
  let model = Object.assign({}, models[0]);
  let context = model.context;
  let bytes = model.bytes;
  const table = el('div', { class: 'bars' });
  const says = el('p', { class: 'says', role: 'status' });
  const fields = {};

  function number(key, get, set) {
    const input = el('input', { type: 'number', min: 1, step: 1, 'data-size': key });
    input.addEventListener('input', () => {
      const value = Math.round(Number(input.value));
      if (value >= 1) {
        set(value);
        draw();
      }
    });
    fields[key] = () => {
      input.value = get();
    };
    return el('label', null, t('js.cache.' + key), input);
  }

  function draw() {
    if (model.n_embd % model.n_head !== 0) {
      clear(table);
      says.textContent = t('js.cache.impossible');
      return;
    }
    const rows = data.cache_variants.filter((variant) => !variant.n_kv_head ||
      model.n_head % variant.n_kv_head === 0);
    const all = rows.map((variant) => cacheBytes(model, variant, context, bytes));
    clear(table, makeTable(['variant', '', 'size', 'saved'].map((key) => key && t('js.cache.' + key)),
      rows.map((variant, i) => [
        el('th', { scope: 'row', 'data-variant': variant.id, 'data-bytes': all[i] },
          variant.name.replace(/, n_kv_head (\d+)/, (found, n) =>
            ', ' + n + (n === '1' ? ' kv head' : ' kv heads'))),
        el('td', { class: 'bar' }, svg('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none',
          'aria-hidden': 'true' }, svg('rect', { width: 100 * all[i] / all[0], height: 10,
          fill: variant.roles === 1 ? 'var(--s3)' : 'var(--s2)' }))),
        byteText(all[i]), all[i] === all[0] ? '–'
          : '\u2212' + fixed(100 * (1 - all[i] / all[0]), 1) + ' %']), [2, 3]));
    says.textContent = t('js.cache.formula', Object.assign({ per: byteText(cacheBytes(model, rows[0], 1,
      bytes)), context, number: bytes }, model));
  }

  function choose(name) {
    model = Object.assign({}, models.find((m) => m.name === name));
    ({ context, bytes } = model);
    Object.values(fields).forEach((show) => show());
    draw();
  }

  append(root, [
    el('div', { class: 'controls' },
      select(t('js.cache.model'), models.map((m) => [m.name, m.name]), model.name, choose),
      number('n_layer', () => model.n_layer, (value) => {
        model.n_layer = value;
      }),
      number('n_embd', () => model.n_embd, (value) => {
        model.n_embd = value;
      }),
      number('n_head', () => model.n_head, (value) => {
        model.n_head = value;
      }),
      number('context', () => context, (value) => {
        context = value;
      }),
      number('bytes', () => bytes, (value) => {
        bytes = value;
      })),
    table, says]);
  choose(model.name);
};
