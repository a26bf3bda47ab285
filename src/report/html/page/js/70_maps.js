/* Maps as canvases with the value under the pointer; the arrow keys move over a focused map. */

function colourAt(share) {
  const n = data.colours.length - 1;
  const at = Math.min(Math.max(share, 0), 1) * n;
  const below = Math.min(Math.floor(at), n - 1);
  return [0, 1, 2].map((i) => Math.round(data.colours[below][i] +
    (data.colours[below + 1][i] - data.colours[below][i]) * (at - below)));
}

/* value(i, j) in 0..1 after division by top; text(i, j) is what a reader sees of a place. */
function makeMap(n, name, value, text) {
  const canvas = el('canvas', { width: n, height: n, tabindex: 0, role: 'img',
    'aria-label': name + '. Arrow keys read the values.' });
  const out = el('div', { class: 'value' });
  let place = null;

  function draw(top) {
    const context = canvas.getContext('2d');
    const image = context.createImageData(n, n);
    for (let i = 0; i < n * n; i++) {
      const [r, g, b] = colourAt(value(Math.floor(i / n), i % n) / top);
      image.data.set([r, g, b, 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    if (place) {
      out.textContent = text(...place);
    }
  }

  function show(i, j) {
    place = [i, j];
    out.textContent = text(i, j);
  }

  const byPointer = (event) => {
    const bounds = canvas.getBoundingClientRect();
    const at = (position, start, size) =>
      Math.min(Math.max(Math.floor((position - start) / size * n), 0), n - 1);
    show(at(event.clientY, bounds.top, bounds.height), at(event.clientX, bounds.left, bounds.width));
  };
  canvas.addEventListener('pointermove', byPointer);
  canvas.addEventListener('pointerdown', byPointer);
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key];
    if (step) {
      event.preventDefault();
      const [i, j] = place ? [place[0] + step[0], place[1] + step[1]] : [0, 0];
      show(Math.min(Math.max(i, 0), n - 1), Math.min(Math.max(j, 0), n - 1));
      say(out.textContent);
    }
  });
  return { canvas, out, draw };
}

function colourBar(text) {
  const canvas = el('canvas', { class: 'bar-canvas', width: 128, height: 1, role: 'img',
    'aria-label': 'Colour scale' });
  const context = canvas.getContext('2d');
  const image = context.createImageData(128, 1);
  for (let i = 0; i < 128; i++) {
    image.data.set([...colourAt(i / 127), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return el('div', { class: 'scale' }, el('span', null, '0'), canvas, text);
}

/* The shares of one layer, as a function (head or -1 for the mean, i, j). */
function layerShares(maps, step, layer) {
  const key = step + ' ' + layer;
  maps.decoded = maps.decoded || {};
  if (!maps.decoded[key]) {
    maps.decoded[key] = decodeBytes(maps.data[step][layer]);
  }
  const bytes = maps.decoded[key];
  const n = maps.n_token;
  const one = (head, i, j) => (bytes[(head * n + i) * n + j] / 255) ** 2;
  return (head, i, j) => {
    if (head >= 0) {
      return one(Math.min(head, maps.n_head - 1), i, j);
    }
    let sum = 0;
    for (let h = 0; h < maps.n_head; h++) {
      sum += one(h, i, j);
    }
    return sum / maps.n_head;
  };
}

function lastAtMost(list, value) {
  let found = 0;
  list.forEach((item, i) => {
    found = item <= value ? i : found;
  });
  return found;
}

function mapCard(cell, state) {
  const maps = cell.maps;
  const at = lastAtMost(maps.steps, state.steps[state.step]);
  const layer = Math.min(state.layer, maps.n_layer - 1);
  const shares = layerShares(maps, at, layer);
  const run = data.runs[maps.run];
  const name = variantOf(cell).name + ' on ' + taskOf(cell).title;
  const map = makeMap(maps.n_token, 'Attention of ' + name,
    (i, j) => shares(state.head, i, j),
    (i, j) => 'query ' + i + ' \u2192 key ' + j + ': p\u00a0=\u00a0' + shares(state.head, i, j).toFixed(3));
  let top = 0;
  for (let i = 0; i < maps.n_token ** 2; i++) {
    top = Math.max(top, shares(state.head, Math.floor(i / maps.n_token), i % maps.n_token));
  }
  return { map, top, node: el('figure', { class: 'card' },
    el('figcaption', null, el('strong', { title: variantOf(cell).name }, variantOf(cell).name),
      el('span', null, el('a', { href: runFolder(run[RUN.id]) }, 'seed ' + run[RUN.seed]),
        ', step ' + maps.steps[at])),
    map.canvas, map.out) };
}

function range(n, title) {
  return Array.from({ length: n }, (item, i) => [i, title + ' ' + i]);
}

function mapsSection(section) {
  const all = data.cells.filter((cell) => cell.maps);
  if (!all.length) {
    return false;
  }
  const state = { setting: null, layer: null, head: -1, steps: [], step: 0, full: true,
    chosen: false };
  const controls = el('div', { class: 'controls' });
  const box = el('div');
  const bar = el('div');
  let timer = null;

  function draw() {
    const cells = all.filter((cell) => cell.setting === state.setting && cellMatches(cell));
    const cards = cells.map((cell) => [cell.task, mapCard(cell, state)]);
    const top = state.full ? 1 : Math.max(...cards.map((pair) => pair[1].top), 1e-6);
    cards.forEach((pair) => pair[1].map.draw(top));
    clear(bar, colourBar(number(top, 3) + '  share of attention'));
    clear(box, [...new Set(cells.map((cell) => cell.task))].map((task) => [
      el('h3', null, data.tasks[task].title),
      el('div', { class: 'cards maps' }, cards.filter((pair) => pair[0] === task)
        .map((pair) => pair[1].node))]));
  }

  function stepControl() {
    const text = el('span', null, 'step ' + state.steps[state.step]);
    const slider = el('input', { type: 'range', min: 0, max: state.steps.length - 1, id: 'map-step',
      value: state.step, 'aria-valuetext': text.textContent,
      oninput: () => {
        state.step = Number(slider.value);
        text.textContent = 'step ' + state.steps[state.step];
        slider.setAttribute('aria-valuetext', text.textContent);
        draw();
      } });
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = 'Play';
    };
    const play = el('button', { type: 'button', onclick: () => {
      if (timer) {
        stop();
        return;
      }
      play.textContent = 'Stop';
      slider.value = state.step === state.steps.length - 1 ? 0 : state.step;
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        slider.dispatchEvent(new Event('input'));
        if (Number(slider.value) === state.steps.length - 1) {
          stop();
        }
      }, 600);
    } }, 'Play');
    return [el('label', null, el('span', null, 'Training, ', text), slider), play];
  }

  function choose(setting) {
    const cells = all.filter((cell) => cell.setting === setting);
    clearInterval(timer);
    timer = null;
    state.setting = setting;
    if (setting === null) {
      return;
    }
    if (!state.chosen) { /* attention over an image is spread thinly */
      state.full = !data.settings[setting].images;
    }
    const n_layer = Math.max(...cells.map((cell) => cell.maps.n_layer));
    const n_head = Math.max(...cells.map((cell) => cell.maps.n_head));
    state.layer = state.layer === null ? n_layer - 1 : Math.min(state.layer, n_layer - 1);
    state.head = Math.min(state.head, n_head - 1);
    state.steps = [...new Set(cells.flatMap((cell) => cell.maps.steps))].sort((a, b) => a - b);
    state.step = state.steps.length - 1;
    state.n_layer = n_layer;
    state.n_head = n_head;
  }

  function update() {
    const shown = [...new Set(all.filter((cell) => cellMatches(cell)).map((cell) => cell.setting))]
      .sort((a, b) => a - b);
    choose(shown.includes(state.setting) ? state.setting : shown.length ? shown[0] : null);
    if (state.setting === null) {
      clear(controls);
      clear(bar);
      clear(box, el('p', { class: 'muted' }, 'No maps match the filter.'));
      return;
    }
    const pick = (key) => (value) => {
      state[key] = Number(value);
      draw();
    };
    clear(controls, shown.length > 1 && settingSelect(shown, state.setting, (value) => {
      state.setting = Number(value);
      update();
    }), select('Layer', range(state.n_layer, 'layer'), state.layer, pick('layer')),
    select('Head', [[-1, 'mean over heads'], ...range(state.n_head, 'head')], state.head,
      pick('head')),
    state.steps.length > 1 && stepControl(),
    check('Colours from 0 to 1', state.full, (value) => {
      state.full = value;
      state.chosen = true;
      draw();
    }));
    draw();
  }

  const note = data.notes.maps;
  section.append(el('p', null, 'Row: the position that asks (query), from the top; column: the ' +
    'position it reads (key), from the left; the colour is the share of attention, on one scale for ' +
    'all maps. A row adds up to 1, so a map that looks at everything alike is flat and dark. Maps ' +
    'are means over the probe sequences. Point at a map, or focus it and press the arrow keys, to ' +
    'read its values.'),
  controls, bar, box, el('p', { class: 'note' }, 'Shown is the first seed of a variant that kept ' +
    'maps; every run\u2019s own are in its folder. A share is kept as a byte, 255 times its square ' +
    'root: a value is off by at most 0.004. ' +
    (note.max_snapshot ? 'To keep this page small, at most ' + plural(note.max_snapshot, 'snapshot') +
      ' of a run are in it. ' : '') +
    (note.n_left_out ? 'Maps of ' + note.n_left_out + ' combinations of variant, task and setting ' +
      'did not fit or could not be read.' : '')));
  onFilter(update);
  update();
  return true;
}

/* ---- confusions ---- */

function confusionCard(cell) {
  const { n_class: n, count, names, run } = cell.confusion;
  const total = range(n, '').map((pair, i) => count.slice(i * n, (i + 1) * n)
    .reduce((a, b) => a + b, 0) || 1);
  const share = (i, j) => count[i * n + j] / total[i];
  const name = (i) => (names && names[i] !== undefined ? String(names[i]) : String(i));
  const map = makeMap(n, 'Confusions of ' + variantOf(cell).name, share, (i, j) =>
    name(i) + ' taken for ' + name(j) + ': ' + count[i * n + j] + ' (' +
    (100 * share(i, j)).toFixed(1) + ' %)');
  map.draw(1);
  const row = data.runs[run];
  return el('figure', { class: 'card wide' }, el('figcaption', null,
    el('strong', null, variantOf(cell).name),
    el('span', null, el('a', { href: runFolder(row[RUN.id]) }, 'seed ' + row[RUN.seed]))),
  map.canvas, map.out);
}

const MAX_NAMED = 20;

function classList(confusion) {
  return confusion.names && confusion.n_class <= MAX_NAMED
    ? ' From the top and from the left: ' + confusion.names.join(', ') + '.' : '';
}

function imagesSection(section) {
  if (!data.cells.some((cell) => cell.epochs || cell.confusion)) {
    return false;
  }
  epochsPart(section);
  const box = el('div');
  const update = () => {
    clear(box);
    for (const setting of settingsShown(true)) {
      const cells = data.cells.filter((cell) => cell.setting === setting && cell.confusion &&
        cellMatches(cell));
      if (cells.length) {
        box.append(el('h3', null, 'Confusions, ' + settingName(setting)),
          el('p', { class: 'note' }, 'True class down, predicted across; a row adds up to 1.' +
            classList(cells[0].confusion)),
          colourBar('1  share of the true class'),
          el('div', { class: 'cards' }, cells.map(confusionCard)));
      }
    }
  };
  section.append(box);
  if (data.notes.images.n_left_out) {
    section.append(el('p', { class: 'note' }, plural(data.notes.images.n_left_out, 'confusion') +
      ' left out to keep this page small: see confusion-*.png beside it.'));
  }
  onFilter(update);
  update();
  return true;
}
