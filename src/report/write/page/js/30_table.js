/* A table whose columns sort by a click or a key, with pages. A column is {t: title, h: hint, look,
 * n: numbers, a: address before the text, f: facets}; a row [facets, aside, cells]; a cell null, a
 * text, an integer, or [text, number]. */

const PAGE = 50;
const LOOKS = { 1: 'head', 2: 'code' };

const cellText = (cell) => (cell === null ? '–' : Array.isArray(cell) ? cell[0] : String(cell));
const cellValue = (cell) => (Array.isArray(cell) ? cell[1] : cell);

function compareCells(a, b) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  if (missing(a) || missing(b)) {
    return { order: missing(a) - missing(b), fixed: true };
  }
  const order = typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
  return { order, fixed: false };
}

/* more: {rows: (rows) => those to show, plain: numbers are no links} */
function makeTable(block, more) {
  const state = { rows: [], sort: null, down: false, page: 0, all: false, columns: [] };
  const head = el('tr');
  const body = el('tbody');
  const caption = el('caption');
  const pages = el('div', { class: 'pages' });
  const name = block.n;
  const node = el('div', { class: 'table', 'data-table': name },
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
      el('table', null, caption, el('thead', null, head), body)), pages);

  function sorted() {
    if (state.sort === null) {
      return state.rows;
    }
    const keyed = state.rows.map((row) => [cellValue(row[2][state.sort]), row]);
    keyed.sort((a, b) => {
      const aside = a[1][1] - b[1][1];
      const { order, fixed } = compareCells(a[0], b[0]);
      return aside || (fixed || !state.down ? order : -order);
    });
    return keyed.map((pair) => pair[1]);
  }

  function sortBy(i) {
    state.down = state.sort === i ? !state.down : Boolean(block.cols[i].n);
    state.sort = i;
    state.page = 0;
    say(name + ', sorted by ' + block.cols[i].t + (state.down ? ', descending' : ', ascending'));
    draw();
  }

  function drawHead() {
    const focused = document.activeElement && head.contains(document.activeElement)
      ? document.activeElement.dataset.column : null;
    clear(head, state.columns.map((i) => {
      const column = block.cols[i];
      const order = state.sort !== i ? 'none' : state.down ? 'descending' : 'ascending';
      return el('th', { scope: 'col', 'aria-sort': order, class: column.n && 'number' },
        el('button', { type: 'button', title: column.h, 'data-column': i,
          onclick: () => sortBy(i) }, column.t));
    }));
    const again = [...head.querySelectorAll('button')]
      .find((button) => button.dataset.column === focused);
    if (again) {
      again.focus();
    }
  }

  function drawCell(row, i) {
    const column = block.cols[i];
    const cell = row[2][i];
    const text = cellText(cell);
    const look = LOOKS[column.look];
    const facets = mergeFacets(row[0], column.f);
    const isHead = look === 'head' || column.a;
    const kind = column.n ? 'number' : !isHead && text.length > 40 ? 'text' : 'name';
    let shown = look === 'code' ? el('code', null, text) : Array.isArray(cell) ? inline(text) : text;
    if (column.a && cell !== null) {
      shown = el('a', { href: column.a + encodeURIComponent(text) + '/' }, shown);
    } else if (column.n && cell !== null && !row[1] && !(more && more.plain) && hasFacets(facets)) {
      shown = runsLink(facets, shown);
    }
    return el(isHead ? 'th' : 'td', { class: kind, scope: isHead && 'row' },
      look === 'head' && facets[VARIANT] >= 0 && [sample(facets[VARIANT]), ' '], shown);
  }

  function drawPages(first, end) {
    const n = state.rows.length;
    const turn = (step) => () => { state.page += step; draw(); };
    clear(pages, el('span', { class: 'muted' },
      n === 0 ? 'Nothing matches the filter.' : n <= PAGE ? ''
        : 'Rows ' + (first + 1) + ' to ' + end + ' of ' + n));
    if (n > PAGE && !state.all) {
      pages.append(
        el('button', { type: 'button', disabled: first === 0, onclick: turn(-1) }, 'Previous'),
        el('button', { type: 'button', disabled: end === n, onclick: turn(1) }, 'Next'));
    }
    if (n > PAGE) {
      pages.append(el('button', { type: 'button',
        onclick: () => { state.all = !state.all; state.page = 0; draw(); } },
        state.all ? 'In pages' : 'Show all'));
    }
  }

  function draw() {
    const rows = sorted();
    const first = state.all ? 0 : state.page * PAGE;
    const end = state.all ? rows.length : Math.min(first + PAGE, rows.length);
    drawHead();
    clear(body, rows.slice(first, end).map((row) => el('tr', { class: row[1] ? 'aside' : null },
      state.columns.map((i) => drawCell(row, i)))));
    drawPages(first, end);
  }

  function update() {
    const words = (row) => (filter.text ? row[2].map(cellText).join(' ') : '');
    state.rows = more && more.rows ? more.rows(block.rows, words)
      : block.rows.filter((row) => matches(row[0], words(row)));
    state.columns = block.cols.map((column, i) => i)
      .filter((i) => !block.cols[i].f || facetsMatch(block.cols[i].f));
    state.page = 0;
    clear(caption, block.c && el('span', null, inline(block.c)));
    draw();
  }

  onFilter(node, update);
  update();
  return { node, update };
}
