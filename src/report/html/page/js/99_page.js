/* The page: its sections in the order of a reader, the filter and the theme. */

const SECTIONS = [
  ['findings', 'Findings', 'What it says', findingsSection],
  ['accuracy', 'Accuracy', 'Accuracy', accuracySection],
  ['comparisons', 'Comparisons', 'Comparisons with the baseline', comparisonsSection],
  ['curves', 'Dynamics', 'Learning dynamics', curvesSection],
  ['maps', 'Attention', 'Attention maps', mapsSection],
  ['scaling', 'Scaling', 'The gap to the baseline by size', scalingSection],
  ['images', 'Images', 'Image data sets', imagesSection],
  ['published', 'Published', 'Published beside measured', publishedSection],
  ['method', 'What was run', 'What was run', methodSection],
  ['runs', 'Runs', 'All runs', runsSection],
  ['files', 'Files', 'Files, rules and small print', filesSection],
];

function drawLead() {
  const n_ok = data.runs.filter((run) => run[RUN.status] === 'ok').length;
  const classes = new Set(data.settings.map((setting) => setting.machine['machine class']));
  const programs = new Set(data.settings.map((setting) => setting.machine.program + ' (' +
    setting.machine.commit + ')'));
  document.getElementById('lead').textContent = plural(n_ok, 'finished run') + ': ' +
    plural(data.variants.length, 'variant') + ', ' + plural(data.tasks.length, 'task') + ', ' +
    plural(data.settings.length, 'setting') + '; machine class ' + [...classes].join(', ') +
    '; qkvlab ' + [...programs].join(', ') + '.';
}

function drawFilterState() {
  const n = data.cells.filter((cell) => cellMatches(cell)).reduce((sum, cell) => sum + cell.n_run, 0);
  const active = Object.values(filter).some((value) => value !== '');
  document.getElementById('filter-state').textContent = active
    ? '\u2013 ' + n + ' of ' + plural(data.runs.length, 'run') : '';
}

function buildFilter() {
  const form = document.getElementById('filter');
  const axis = ([key, title]) => {
    const values = [...new Set(data.settings.map((setting) => setting[key]))].sort((a, b) => a - b);
    return values.length > 1 && filterSelect(key, title, values.map((value) => [value, value]));
  };
  function filterSelect(key, title, options) {
    const label = select(title, [['', 'all'], ...options], '', (value) => {
      filter[key] = value;
      filterChanged();
    });
    label.querySelector('select').name = key;
    return label;
  }
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
    filterSelect('task', 'Task', data.tasks.map((task, i) => [i, task.title])),
    filterSelect('variant', 'Variant', data.variants.map((variant, i) => [i, variant.name])),
    AXES.map(axis),
    el('button', { type: 'button', onclick: () => {
      form.reset();
      Object.keys(filter).forEach((key) => { filter[key] = ''; });
      filterChanged();
    } }, 'Clear'),
  ]);
  form.addEventListener('submit', (event) => event.preventDefault());
  onFilter(drawFilterState);
}

/* ---- theme ---- */

const THEMES = ['automatic', 'light', 'dark'];

function remember(theme) {
  try {
    localStorage.setItem('qkvlab-theme', theme);
  } catch (problem) {
    /* A browser that keeps nothing for files still has the button. */
  }
}

function recall() {
  try {
    return localStorage.getItem('qkvlab-theme');
  } catch (problem) {
    return null;
  }
}

function setTheme(theme) {
  const button = document.getElementById('theme');
  button.textContent = 'Theme: ' + theme;
  button.dataset.theme = theme;
  if (theme === 'automatic') {
    document.documentElement.removeAttribute('data-theme');
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

function buildTheme() {
  const button = document.getElementById('theme');
  setTheme(THEMES.includes(recall()) ? recall() : 'automatic');
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(button.dataset.theme) + 1) % THEMES.length];
    setTheme(next);
    remember(next);
  });
}

/* ---- start ---- */

const FIRST = 2; /* sections that are there before anything is painted */

/* The bar covers what is scrolled under it. */
function clearBar() {
  document.documentElement.style.scrollPaddingTop =
    document.querySelector('.bar').offsetHeight + 8 + 'px';
}

let follow = null;

function fillSection([id, short, title, fill]) {
  const section = el('section', { id, 'aria-labelledby': id + '-title' },
    el('h2', { id: id + '-title' }, title));
  document.getElementById('main').append(section);
  const result = fill(section);
  if (result === false) {
    section.remove();
    return;
  }
  follow = id === 'runs' ? result : follow;
  document.getElementById('nav').append(el('a', { href: '#' + id }, short));
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
  document.getElementById('filter-box').open = window.innerWidth >= 900;
  drawLead();
  buildTheme();
  buildFilter();
  SECTIONS.slice(0, FIRST).forEach(fillSection);
  watchSize();
  setTimeout(() => fillRest(SECTIONS.slice(FIRST)), 0);
}

build();
