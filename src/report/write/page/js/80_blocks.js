/* Blocks of the document as elements, whatever they speak of. */

const chosen = new Map(); /* what was chosen under a label, kept where the choice is made anew */

function makeChoice(block) {
  const box = el('div');
  const controls = el('div', { class: 'controls' });
  const node = el('div', { class: 'choice' }, controls, box);
  let current = null;

  function show(option) {
    current = option;
    clear(box);
    if (option) {
      chosen.set(block.t, option.t);
      drawBlocks(box, option.b);
    } else {
      box.append(el('p', { class: 'muted' }, 'Nothing matches the filter.'));
    }
  }

  function update() {
    const shown = block.b.filter((option) => matches(option.f, option.t) ||
      (filter.text && facetsMatch(option.f)));
    const wanted = shown.find((option) => option.t === chosen.get(block.t)) || shown[0] || null;
    clear(controls, shown.length > 1 && select(block.t,
      shown.map((option, i) => [i, option.t]), shown.indexOf(wanted),
      (value) => show(shown[Number(value)])));
    if (wanted !== current) {
      show(wanted);
    }
  }

  onFilter(node, update);
  return { node, update };
}

function makeFold(block) {
  const inner = el('div');
  const node = el('details', { class: 'block', open: block.open,
    ontoggle: () => {
      if (node.open && !inner.firstChild) {
        drawBlocks(inner, block.b);
      }
    } }, el('summary', null, inline(block.t)), inner);
  const update = () => {
    node.hidden = !facetsMatch(block.f);
  };
  if (block.open) {
    drawBlocks(inner, block.b);
  }
  onFilter(node, update);
  update();
  return { node };
}

async function copy(text, button) {
  const title = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch (problem) {
    button.textContent = 'Select it above and copy';
  }
  setTimeout(() => { button.textContent = title; }, 1800);
}

function makeCode(block) {
  const button = el('button', { type: 'button', onclick: () => copy(block.x, button) }, 'Copy');
  return { node: el('details', { class: 'block no-print' },
    el('summary', null, block.t + ' ', el('a', { href: block.file }, el('code', null, block.file))),
    el('pre', { tabindex: 0 }, block.x), button) };
}

function makeList(block) {
  const root = el('ul', { class: 'findings' });
  const lists = [root];
  for (const [level, text] of block.i) {
    lists.length = Math.min(lists.length, level);
    while (lists.length < level) {
      const last = lists[lists.length - 1];
      const below = el('ul');
      (last.lastChild || last).append(below);
      lists.push(below);
    }
    lists[level - 1].append(el('li', null, inline(text)));
  }
  return { node: root };
}

const MAKERS = {
  h: (block) => ({ node: el('h' + Math.min(block.l + 1, 5), null, inline(block.t)) }),
  p: (block) => ({ node: el('p', { class: block.s || null }, inline(block.t)) }),
  list: makeList, table: (block) => makeTable(block, block.runs ? runsQuery(block) : null),
  plot: makePlot, pivot: makePivot, sheet: makeSheet, choice: makeChoice, fold: makeFold,
  code: makeCode,
  picture: (block) => ({ node: el('p', null, el('a', { href: block.file }, block.t)) }),
};

function drawBlocks(box, blocks) {
  for (const block of blocks) {
    const made = MAKERS[block.k](block);
    box.append(made.node);
    if (made.update && !made.node.firstChild.firstChild) {
      made.update();
    } else if (['plot', 'pivot', 'choice'].includes(block.k)) {
      made.update(); /* these are as wide as the place they stand in */
    }
  }
}

/* The table of all runs shows what a number's link asks for. */
let query = new URLSearchParams();
let updateRuns = null;

function runsQuery(block) {
  const asked = () => FACET_KEYS.map((key) => (query.has(key) ? Number(query.get(key)) : -1));
  return {
    plain: true,
    rows: (rows, words) => {
      const wanted = asked();
      if (!hasFacets(wanted)) {
        return rows.filter((row) => matches(row[0], words(row)));
      }
      return rows.filter((row) => wanted.every((level, i) => level < 0 || row[0][i] === level));
    },
    block,
  };
}

function makeRuns(block) {
  const chip = el('p');
  const table = makeTable(block, runsQuery(block));
  updateRuns = () => {
    const names = facetNames(FACET_KEYS.map((key) => (query.has(key) ? Number(query.get(key)) : -1)));
    clear(chip, names.length > 0 && [el('span', { class: 'chip' },
      'Only the runs of: ' + [...new Set(names)].join(', ')), ' ',
    el('a', { href: '#runs' }, 'Show all runs')]);
    table.update();
  };
  onFilter(chip, () => {
    if ([...query.keys()].length) {
      history.replaceState(null, '', '#runs');
      query = new URLSearchParams();
    }
    updateRuns();
  });
  return { node: el('div', null, chip, table.node) };
}

MAKERS.runs = makeRuns;

function follow() {
  const [name, ...rest] = location.hash.slice(1).split('&');
  if (name === 'runs' && updateRuns) {
    query = new URLSearchParams(rest.join('&'));
    updateRuns();
    document.getElementById('runs').scrollIntoView();
  }
}
