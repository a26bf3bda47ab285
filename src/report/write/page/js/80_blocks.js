/* Blocks of the document as elements, whatever they speak of. */

function makeChoice(block, place) {
  const kept = keptAt(place, 'choice'); /* {at: the chosen option's place among all of them} */
  const box = el('div');
  const controls = el('div', { class: 'controls' });
  const node = el('div', { class: 'choice' }, controls, box);
  let current;

  function show(option) {
    if (option !== current) {
      current = option;
      clear(box, !option && el('p', { class: 'muted' }, 'Nothing matches the filter.'));
      drawBlocks(box, option ? option.b : [], place);
    }
  }

  function update() {
    const shown = block.b.filter(isLeft);
    const wanted = shown.find((option) => option === block.b[kept.at]) || shown[0] || null;
    clear(controls, shown.length > 1 && select(block.t,
      shown.map((option) => [block.b.indexOf(option), option.t]), block.b.indexOf(wanted),
      (value) => {
        kept.at = Number(value);
        show(block.b[kept.at]);
      }));
    show(wanted);
  }

  onFilter(node, update);
  return { node, update };
}

function makeFold(block, place) {
  const inner = el('div');
  const fill = () => {
    if (node.open && !inner.firstChild) {
      drawBlocks(inner, block.b, place);
    }
  };
  const node = el('details', { class: 'block', open: block.open, ontoggle: fill },
    el('summary', null, inline(block.t)), inner);
  const update = () => {
    node.hidden = !isLeft(block);
    fill();
  };
  onFilter(node, update);
  return { node, update };
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
    el('summary', null, block.note + ' ', el('a', { href: block.t }, el('code', null, block.t))),
    el('pre', { tabindex: 0 }, block.x), button) };
}

function makeList(block) {
  const root = el('ul', { class: 'findings' });
  const lists = [root];
  for (const { l: level, t: text } of block.i) {
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

/* All runs, or those that a number's link asks for. */
let follow = () => {};

function makeRuns(block, place) {
  const chip = el('p');
  let wanted = null; /* facets */
  const table = makeTable(block, place, (rows) => wanted && rows.filter(([facets]) =>
    wanted.every((level, i) => level < 0 || level === levelsOf(facets)[i])));

  function draw() {
    clear(chip, wanted && [el('span', { class: 'chip' },
      'Only the runs of: ' + [...new Set(facetNames(wanted))].join(', ')), ' ',
    el('a', { href: '#' + data.anchor }, 'Show all runs')]);
    table.update();
  }

  follow = () => {
    const [name, ...rest] = location.hash.slice(1).split('&');
    if (name === data.anchor) {
      const query = new URLSearchParams(rest.join('&'));
      const asked = FACET_KEYS.map((key) => (query.has(key) ? Number(query.get(key)) : -1));
      wanted = isAbout(asked) ? asked : null;
      draw();
      document.getElementById(data.anchor).scrollIntoView();
    }
  };
  onFilter(chip, () => {
    if (wanted) {
      history.replaceState(null, '', '#' + data.anchor);
      wanted = null;
    }
    draw();
  });
  return { node: el('div', null, chip, table.node), update: draw };
}

const MAKERS = {
  h: (block) => ({ node: el('h' + Math.min(block.l + 1, 5), null, inline(block.t)) }),
  p: (block) => ({ node: el('p', { class: block.s }, inline(block.t)) }),
  list: makeList, table: makeTable, plot: makePlot, pivot: makePivot, sheet: makeSheet,
  choice: makeChoice, fold: makeFold, code: makeCode,
};

/* Items in a row are one list. */
function withLists(blocks) {
  const all = [];
  for (const block of blocks) {
    const last = all[all.length - 1];
    if (block.k === 'item' && last && last.k === 'list') {
      last.i.push(block);
    } else {
      all.push(block.k === 'item' ? { k: 'list', i: [block] } : block);
    }
  }
  return all;
}

/* place: where the blocks stand, for what is kept of them. */
function drawBlocks(box, blocks, place) {
  withLists(blocks).forEach((block, i) => {
    const make = place === data.anchor && block.k === 'table' ? makeRuns : MAKERS[block.k];
    const made = make(block, place + '/' + i);
    box.append(made.node);
    if (made.update) {
      made.update(); /* in its place, whose width a plot needs */
    }
  });
}
