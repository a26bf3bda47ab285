/* The gap to the baseline over one size, everything else fixed: nothing is averaged over settings. */

const SIZES = [['d', 'width d'], ['L', 'layers L'], ['H', 'heads H'], ['T', 'length T'],
  ['steps', 'training steps']];

/* No axis is shorter than from minus to plus this: a hair's breadth must not look like a gap. */
const LEAST_GAP = 0.02;

function distinctOf(cells, key) {
  return [...new Set(cells.map((cell) => cell.of[key]))]
    .sort((a, b) => (typeof a === 'number' ? a - b : String(a).localeCompare(String(b))));
}

const GAPS = [['accuracy', 'Accuracy'], ['mean_train_loss', 'Mean training loss'],
  ['escape_step', 'Escape step'], ['step_accuracy_90', 'Step with 90 % right']];

function gapOf(cell, key) {
  const of = key === 'accuracy' ? (taskOf(cell).images ? 'top1' : 'token_accuracy') : key;
  return cell.gap && cell.gap[of] ? cell.gap[of] : null;
}

function gapPanel(task, cells, axis, key) {
  const x = distinctOf(cells, axis);
  const variants = [...new Set(cells.map((cell) => cell.variant))].sort((a, b) => a - b);
  const lines = variants.map((variant) => {
    const at = x.map((value) => cells.find((cell) => cell.variant === variant &&
      cell.of[axis] === value));
    const pick = (i) => at.map((cell) => (cell ? gapOf(cell, key)[i] : null));
    return { variant, mean: pick(1), low: pick(2), high: pick(3) };
  });
  const values = cells.flatMap((cell) => gapOf(cell, key).slice(2));
  const least = key.includes('step') ? 1 : LEAST_GAP;
  const low = Math.min(-least, ...values);
  const high = Math.max(least, ...values);
  const margin = 0.06 * (high - low);
  const title = SIZES.find((pair) => pair[0] === axis)[1];
  const plot = makePlot({
    name: 'Gap to the baseline by ' + title + ', ' + data.tasks[task].title, x, xTicks: x,
    xText: (i) => title + ' ' + x[i], xLog: x[0] > 0, low: low - margin, high: high + margin,
    xTitle: title, yTitle: GAPS.find((pair) => pair[0] === key)[1].toLowerCase() + ', difference', level: { y: 0, title: 'no difference' },
    dots: true, lines,
  });
  return { plot, node: el('figure', { class: 'panel' }, el('figcaption', null,
    el('span', null, data.tasks[task].title), runsLink({ task }, 'runs')), plot.node) };
}

function scalingSection(section) {
  const all = data.cells.filter((cell) => gapOf(cell, 'accuracy'));
  const axes = SIZES.filter(([key]) => distinctOf(all, key).length > 1);
  const gaps = GAPS.filter(([key]) => data.cells.some((cell) => gapOf(cell, key)));
  if (!axes.length) {
    return false;
  }
  const state = { axis: axes[0][0], gap: gaps[0][0], fixed: {} };
  const controls = el('div', { class: 'controls' });
  const keys = el('div');
  const panels = el('div', { class: 'panels' });
  const others = () => [...SIZES.map((pair) => pair[0]), 'procedure']
    .filter((key) => key !== state.axis);

  /* The values of every other size, chosen one after the other among what was run. */
  function narrow() {
    let cells = data.cells.filter((cell) => gapOf(cell, state.gap)).filter((cell) => (filter.task === '' || cell.task === Number(filter.task)) &&
      (filter.variant === '' || cell.variant === Number(filter.variant)));
    const choices = [];
    for (const key of others()) {
      const values = distinctOf(cells, key);
      if (!values.includes(state.fixed[key])) {
        state.fixed[key] = mostVaried(cells, key, values);
      }
      if (values.length > 1) {
        choices.push([key, values]);
      }
      cells = cells.filter((cell) => cell.of[key] === state.fixed[key]);
    }
    return { cells, choices };
  }

  function mostVaried(cells, key, values) {
    const n = (value) => distinctOf(cells.filter((cell) => cell.of[key] === value),
      state.axis).length;
    return values.reduce((best, value) => (n(value) > n(best) ? value : best), values[0]);
  }

  function update() {
    const { cells, choices } = narrow();
    const named = (key, value, i) => (key === 'procedure' ? 'procedure ' + (i + 1) : String(value));
    clear(controls, select('Difference in', gaps, state.gap, (value) => {
      state.gap = value;
      update();
    }), select('Over', axes, state.axis, (value) => {
      state.axis = value;
      update();
    }), choices.map(([key, values]) => select(key === 'procedure' ? 'Other settings' : key + ' =',
      values.map((value, i) => [i, named(key, value, i)]), values.indexOf(state.fixed[key]),
      (value) => {
        state.fixed[key] = values[Number(value)];
        update();
      })));
    const tasks = [...new Set(cells.map((cell) => cell.task))].sort((a, b) => a - b);
    clear(keys, legend([...new Set(cells.map((cell) => cell.variant))].sort((a, b) => a - b)));
    drawPanels(panels, tasks.map((task) =>
      gapPanel(task, cells.filter((cell) => cell.task === task), state.axis, state.gap)));
  }

  const baseline = data.variants.find((variant) => variant.id === data.baseline);
  section.append(el('p', null, 'A variant minus ' + (baseline ? baseline.name
    : data.baseline) + ' with the same seed, mean over seeds; the bar reaches from the lowest to ' +
    'the highest seed; of steps over the seeds in which both got there. One size changes, all ' +
    'others are fixed: nothing is averaged over settings. A gap that closes may mean that both ' +
    'solve the task there, or that neither learns it.'),
  controls, keys, panels);
  onFilter(update);
  update();
  return true;
}
