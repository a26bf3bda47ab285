/* Part 3, before looking: the reader draws the map that a task needs. */

widgets.draw = (root) => {
  const N = 6;
  let task = data.puzzles[0];
  let chosen = new Set();
  const says = el('p', { class: 'says', role: 'status' });
  const grid = el('div', { class: 'cells', role: 'group', 'aria-label': t('js.draw.map') });
  const cells = range(N).map(() => []);
  const rule = el('p');

  grid.append(el('span'));
  range(N).forEach((j) => grid.append(el('span', null, String(j))));
  range(N).forEach((i) => {
    grid.append(el('span', null, String(i)));
    range(N).forEach((j) => {
      const cell = button('', () => toggle(i, j), { role: 'checkbox', tabindex: -1,
        'aria-label': t('js.draw.cell', { i, j }) });
      cells[i].push(cell);
      grid.append(cell);
    });
  });
  const move = arrowKeys(grid, (i, j) => cells[i][j], N, N);

  function draw() {
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const on = chosen.has(i * N + j);
      cell.setAttribute('aria-checked', on);
      cell.textContent = on ? '●' : '';
      cell.classList.remove('wrong');
    }));
  }

  function toggle(i, j) {
    const place = i * N + j;
    move(i, j);
    chosen[chosen.has(place) ? 'delete' : 'add'](place);
    says.textContent = '';
    draw();
  }

  function judge() {
    let wrong = 0;
    let missing = 0;
    const empty = range(N).filter((i) => range(N).every((j) => !chosen.has(i * N + j))).length;
    draw();
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const needed = task.needed[i] === j;
      const on = chosen.has(i * N + j);
      cell.classList.toggle('wrong', on && !needed);
      wrong += on && !needed;
      missing += !on && needed;
    }));
    says.className = 'says ' + (wrong || missing ? 'bad' : 'good');
    says.textContent = wrong ? t('js.draw.not', { wrong, empty })
      : missing ? t('js.draw.empty', { empty })
        : t(symmetric() ? 'js.draw.symmetric' : 'js.draw.asymmetric', { task: task.title });
  }

  function symmetric() {
    return task.needed.every((j, i) => task.needed[j] === i);
  }

  function choose(name) {
    task = data.puzzles.find((puzzle) => puzzle.name === name);
    chosen = new Set();
    says.textContent = '';
    clear(rule, el('span', { class: 'formula' }, subscripts(task.formula.replace(/-/g, '\u2212'))), ' · ',
      t('js.draw.example'), ' ', el('code', null, task.example.replace('->', '→')));
    draw();
  }

  append(root, [
    el('div', { class: 'controls' },
      select(t('js.task'), data.puzzles.map((puzzle) => [puzzle.name, puzzle.title]), task.name, choose),
      button(t('js.draw.check'), judge),
      button(t('js.draw.show'), () => {
        chosen = new Set(task.needed.map((j, i) => i * N + j));
        draw();
        judge();
      }),
      button(t('js.reset'), () => choose(task.name))),
    el('div', { class: 'row' }, grid, el('div', { class: 'beside' }, rule,
      el('p', { class: 'muted' }, t('js.draw.axes')), says))]);
  choose(task.name);
};
