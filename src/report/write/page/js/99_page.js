/* The page: its sections in the order of the document, the filter and the theme. */

function buildFilter() {
  const form = document.getElementById('filter');
  const filterSelect = (name, title, options, change) =>
    select(title, [['', 'all'], ...options], '', (value) => {
      change(value);
      filterChanged();
    }, name);
  const size = (letter, i) => {
    const values = [...new Set(data.settings.map((setting) => setting[2][i]))].sort((a, b) => a - b);
    return values.length > 1 && filterSelect(letter, letter, values.map((value) => [value, value]),
      (value) => { filter.sizes[i] = value; });
  };
  let timer = null;
  const text = el('input', { type: 'search', name: 'text', placeholder: 'variant, task, run ...',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        filter.text = text.value;
        filterChanged();
      }, 120);
    } });
  append(form, [
    el('label', null, 'Text', text),
    filterSelect('task', 'Task', data.tasks.map((task, i) => [i, task[1]]),
      (value) => { filter.task = value; }),
    filterSelect('variant', 'Variant', data.variants.map((variant, i) => [i, variant[1]]),
      (value) => { filter.variant = value; }),
    data.sizes.map(size),
    el('button', { type: 'button', onclick: () => {
      form.reset();
      Object.assign(filter, noFilter());
      filterChanged();
    } }, 'Clear'),
  ]);
  form.addEventListener('submit', (event) => event.preventDefault());
  onFilter(form, () => {
    document.getElementById('filter-state').textContent = left
      ? '\u2013 ' + runs.filter(isNamed).length + ' of ' + plural(runs.length, 'run') : '';
  });
}

/* ---- start ---- */

const FIRST = 2; /* sections that are there before anything is painted */

/* The bar covers what is scrolled under it. */
function clearBar() {
  document.documentElement.style.scrollPaddingTop =
    document.querySelector('.bar').offsetHeight + 8 + 'px';
}

/* What stands before a section begins it. */
function sectionsOf(blocks) {
  let before = [];
  return blocks.flatMap((block) => {
    if (block.k !== 'section') {
      before.push(block);
      return [];
    }
    const section = { ...block, b: [...before, ...block.b] };
    before = [];
    return [section];
  });
}

function fillSection(block) {
  const id = block.note;
  const section = el('section', { id, 'aria-labelledby': id + '-title' },
    el('h2', { id: id + '-title' }, block.t));
  document.getElementById('main').append(section);
  document.getElementById('nav').append(el('a', { href: '#' + id }, block.t));
  drawBlocks(section, block.b, id);
}

function watchSize() {
  let width = window.innerWidth;
  clearBar();
  document.getElementById('filter-box').addEventListener('toggle', clearBar);
  window.addEventListener('resize', () => {
    if (window.innerWidth !== width) {
      width = window.innerWidth;
      clearBar();
      drawPlots();
    }
  });
  window.addEventListener('beforeprint', drawPlots);
  window.addEventListener('afterprint', drawPlots);
  window.addEventListener('hashchange', () => follow());
}

/* One section after the other, so that a large report can be read while the rest is drawn. */
function fillRest(sections) {
  if (sections.length) {
    fillSection(sections[0]);
    setTimeout(() => fillRest(sections.slice(1)), 0);
    return;
  }
  follow();
  const target = document.getElementById(location.hash.slice(1));
  if (target) {
    target.scrollIntoView();
  }
  document.documentElement.dataset.ready = 'yes';
}

function build() {
  const sections = sectionsOf(data.blocks);
  document.getElementById('filter-box').open = window.innerWidth >= 900;
  document.getElementById('lead').textContent = data.lead;
  buildTheme((theme) => 'Theme: ' + theme);
  buildFilter();
  sections.slice(0, FIRST).forEach(fillSection);
  watchSize();
  setTimeout(() => fillRest(sections.slice(FIRST)), 0);
}

build();
