/* Part 3, the trained maps: one scale for all, a slider through training under the loss curve. */

widgets.trained = (root) => {
  const withMaps = data.runs.filter((run) => run.maps && data.variants[run.variant].sharing);
  if (!withMaps.length) {
    root.append(el('p', null, t('js.none')));
    return;
  }
  const shape = withMaps[0].maps;
  const state = { task: withMaps[0].task, layer: shape.n_layer - 1, head: -1, at: 0, front: -1 };
  const curves = sized(drawCurves);
  const maps = el('div', { class: 'maps' });
  const says = el('p', { class: 'says screen' }, t('js.trained.hint'));
  const rare = el('p', { class: 'finding' });
  const counting = el('p', { class: 'finding' });
  const FAR = 0.05;
  let timer = null;
  let runs = [];
  let steps = [];

  function mapOf(run) {
    const nearest = run.maps.steps.reduce((best, step, s) => (step <= steps[state.at] ? s : best), 0);
    return mapAt(run, nearest, Math.min(state.layer, run.maps.n_layer - 1), state.head);
  }

  function card(run) {
    const map = mapOf(run);
    const name = data.variants[run.variant].name;
    const needed = data.tasks[run.task].needed;
    const onNeeded = mean(map.map((row, i) => row[needed[i]]));
    const onSelf = mean(map.map((row, i) => row[i]));
    const seeds = amongSeeds(run);
    const canvas = paintMap(map, { tabindex: 0,
      'aria-label': t('js.trained.map', { name, needed: fixed(onNeeded, 2), self: fixed(onSelf, 2) }) });
    readPlaces(canvas, map.length, (i, j) => {
      says.textContent = t('js.trained.value', { name, i, j, share: fixed(map[i][j], 3) });
      return says.textContent;
    });
    const key = el('span', { class: 'key' }, svg('svg', { viewBox: '0 0 34 14' },
      svg('path', Object.assign({ d: 'M0 7H34', 'stroke-width': 3.5 }, lineStyle(run.variant)))));
    return el('figure', null, el('figcaption', null, el('strong', null, key, name),
      el('span', null, t('js.trained.accuracy', { accuracy: fixed(run.accuracy, 3) }))), canvas,
    el('figcaption', null, el('span', null, t('js.trained.needed', { share: fixed(onNeeded, 2) })),
      el('span', null, t('js.trained.self', { share: fixed(onSelf, 2) })),
      seeds.n > 1 && el('span', null, t('js.trained.seeds', { low: fixed(seeds.low, 2),
        high: fixed(seeds.high, 2) }))));
  }

  function neededCard() {
    const { needed, title } = data.tasks[state.task];
    const map = needed.map((key) => needed.map((item, j) => (j === key ? 1 : 0)));
    return el('figure', null, el('figcaption', null, el('strong', null, title),
      el('span', null, t('js.trained.wanted'))), paintMap(map, {
      'aria-label': t('js.trained.wanted') + ': ' + title }));
  }

  /* The chosen curve is drawn last, over the others. */
  function inFront() {
    return runs.filter((run) => run.variant !== state.front)
      .concat(runs.filter((run) => run.variant === state.front));
  }

  /* Runs that say little about their variant: far from the mean of its seeds. */
  function untypical() {
    const list = runs.map((run) => ({ run, seeds: amongSeeds(run) })).filter(({ run, seeds }) =>
      seeds.n > 1 && Math.abs(run.accuracy - seeds.mean) > FAR);
    const parts = list.map(({ run, seeds }) => t(run.accuracy === seeds.low ? 'js.trained.lowest'
      : run.accuracy === seeds.high ? 'js.trained.highest' : 'js.trained.between', {
      name: data.variants[run.variant].name, accuracy: fixed(run.accuracy, 3), n: seeds.n,
      mean: fixed(seeds.mean, 3) }));
    clear(rare, parts.length ? t('js.trained.untypical', { list: parts.join('; '), far: FAR })
      : t('js.trained.typical', { far: FAR }));
  }

  /* Variants that moved digits no better than an answer that counts them. */
  function likeCounting() {
    const task = data.tasks[state.task];
    const moves = data.puzzles.some((puzzle) => puzzle.name === task.name);
    const list = runs.map((run) => ({ run, seeds: amongSeeds(run) }))
      .filter(({ seeds }) => seeds.mean < data.frequent + 0.02);
    counting.hidden = !moves || !list.length;
    clear(counting, t('js.trained.counting', { task: task.title, frequent: fixed(data.frequent, 3),
      list: list.map(({ run, seeds }) => data.variants[run.variant].name + ' (' + fixed(seeds.mean, 3) + ')')
        .join(', ') }));
  }

  function drawCurves(width) {
    const scale = fontScale();
    const height = Math.min(Math.max(width * 0.32, 250), 320 * scale);
    const left = 44 * scale;
    const lastStep = Math.max(...steps, 1);
    const x = (step) => left + step / lastStep * (width - left - 14);
    const y = (loss) => 10 + (1 - loss / 2.6) * (height - 34 * scale);
    const node = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img',
      'aria-label': t('js.trained.curves') });
    [0, 0.5, 1, 1.5, 2, 2.5].forEach((loss) => node.append(
      svg('line', { class: 'grid', x1: left, x2: width - 14, y1: y(loss), y2: y(loss) }),
      svg('text', { class: 'soft', x: left - 6, y: y(loss) + 5, 'text-anchor': 'end' }, fixed(loss, 1))));
    niceTicks(0, lastStep).ticks.forEach((step) => node.append(
      svg('text', { class: 'soft', x: x(step), y: height - 4, 'text-anchor': 'middle' }, String(step))));
    node.append(svg('line', { class: 'axis', 'stroke-dasharray': '2 4', x1: left, x2: width - 14, y1: y(Math.log(10)),
      y2: y(Math.log(10)) }),
    svg('text', { class: 'soft', x: width - 16, y: y(Math.log(10)) - 6, 'text-anchor': 'end' },
      t('js.trained.chance')));
    inFront().forEach((run) => {
      const faint = state.front >= 0 && run.variant !== state.front ? 0.22 : 1;
      const losses = decodeFloats(run.loss.data);
      const d = Array.from(losses).map((loss, i) => (i ? 'L' : 'M') +
        x(Math.min(i * run.loss.bucket + (run.loss.bucket - 1) / 2, lastStep)).toFixed(1) + ' ' +
        y(Math.min(loss, 2.6)).toFixed(1)).join('');
      node.append(svg('path', Object.assign({ d, 'stroke-width': 2.4, opacity: faint },
        lineStyle(run.variant)),
        svg('title', null, data.variants[run.variant].name)));
      if (run.escape_step !== null) {
        const loss = losses[Math.min(Math.floor(run.escape_step / run.loss.bucket), losses.length - 1)];
        node.append(svg('circle', { cx: x(run.escape_step), cy: y(Math.min(loss, 2.6)), r: 5,
          opacity: faint, fill: 'var(--s' + run.variant % 7 + ')', stroke: 'var(--raised)',
          'stroke-width': 1.5 },
        svg('title', null, t('js.trained.escape', { name: data.variants[run.variant].name,
          step: run.escape_step }))));
      }
    });
    node.append(svg('line', { stroke: 'var(--ink)', 'stroke-width': 2, x1: x(steps[state.at]),
      x2: x(steps[state.at]), y1: 6, y2: y(0) }));
    node.addEventListener('click', (event) => {
      const box = node.getBoundingClientRect();
      const step = ((event.clientX - box.left) / box.width * width - left) / (width - left - 14) * lastStep;
      go(steps.reduce((best, s, i) => (Math.abs(s - step) < Math.abs(steps[best] - step) ? i : best), 0));
    });
    return node;
  }

  const time = slider(t('js.trained.time'), { min: 0, max: 1, step: 1, value: 0,
    text: (at) => t('js.trained.step', { step: steps[at] }) }, go);
  const play = button(t('js.trained.play'), () => {
    if (timer) {
      stop();
      return;
    }
    if (state.at === steps.length - 1) {
      go(0);
    }
    play.textContent = t('js.trained.stop');
    timer = setInterval(() => (state.at < steps.length - 1 ? go(state.at + 1) : stop()), 700);
  }, { class: 'play' });

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = t('js.trained.play');
  }

  function go(at) {
    state.at = at;
    time.set(at);
    redraw();
  }

  function redraw() {
    clear(maps, neededCard(), runs.map(card));
    curves.redraw();
  }

  function choose(task) {
    state.task = task;
    runs = withMaps.filter((run) => run.task === task);
    steps = runs[0].maps.steps;
    time.input.max = steps.length - 1;
    untypical();
    likeCounting();
    go(steps.length - 1);
  }

  const tasks = data.tasks.map((task, i) => i).filter((i) => withMaps.some((run) => run.task === i));
  append(root, [
    el('div', { class: 'controls' },
      select(t('js.task'), tasks.map((i) => [i, data.tasks[i].title]), state.task,
        (value) => choose(Number(value))),
      select(t('js.trained.layer'), range(shape.n_layer).map((i) => [i, String(i + 1)]), state.layer,
        (value) => {
          state.layer = Number(value);
          redraw();
        }),
      select(t('js.trained.head'), [[-1, t('js.trained.mean')]].concat(range(shape.n_head).map((i) =>
        [i, String(i + 1)])), state.head, (value) => {
        state.head = Number(value);
        redraw();
      }),
      select(t('js.trained.front'), [[-1, t('js.trained.all')]].concat(sharingVariants().map((i) =>
        [i, data.variants[i].name])), state.front, (value) => {
        state.front = Number(value);
        curves.redraw();
      })),
    curves, el('p', { class: 'axistext' }, t('js.trained.axes')), el('div', { class: 'time' }, time.node, play),
    maps, shareBar(), says, rare, counting]);
  choose(state.task);
};
