/* A table {t: its name, note: its caption, cols, rows}, whose columns sort by a click or a key, with
 * pages. A column is {t: title, h: hint, look, n: numbers, a: address before the text, f: facets}; a
 * row [facets, cells, aside]; a cell null, a text, a number, [its text], or [its text, number, n, low,
 * high]: n, low and high of the runs that it sums up, which it opens; low and high only where they
 * differ. */

const PAGE = 50;
const LOOKS = { 1: 'head', 2: 'code' };

const cellText = (cell) => (cell === null ? '–' : Array.isArray(cell) ? cell[0] : String(cell));
const cellValue = (cell) => (!Array.isArray(cell) ? cell
  : cell.length > 1 ? cell[1] : Number(cell[0]));

function compareCells(a, b) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  if (missing(a) || missing(b)) {
    return { order: missing(a) - missing(b), fixed: true };
  }
  const order = typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
  return { order, fixed: false };
}

/* What a measured cell rests on. */
function cellHint([, , n, low, high]) {
  return plural(n, 'run') + (low === undefined ? '' : ', ' + low + ' to ' + high) +
    '; opens the runs';
}

/* pick: (rows) => those to show whatever the filter, or null for those that it leaves. */
function makeTable(block, place, pick) {
  const state = { rows: [], page: 0, all: false, columns: [] };
  const sort = keptAt(place, 'sort'); /* {title, down} */
  const head = el('tr');
  const body = el('tbody');
  const caption = el('caption');
  const pages = el('div', { class: 'pages' });
  const name = block.t;
  const filled = block.cols.map((column, i) => i).filter((i) => !block.rows.length ||
    block.rows.some((row) => row[1][i] !== null && row[1][i] !== ''));
  const node = el('div', { class: 'table', 'data-table': name },
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
      el('table', null, caption, el('thead', null, head), body)), pages);

  function sorted() {
    const column = block.cols.findIndex((item) => item.t === sort.title);
    if (column < 0) {
      return state.rows;
    }
    const keyed = state.rows.map((row) => [cellValue(row[1][column]), row]);
    keyed.sort((a, b) => {
      const aside = (a[1][2] || 0) - (b[1][2] || 0);
      const { order, fixed } = compareCells(a[0], b[0]);
      return aside || (fixed || !sort.down ? order : -order);
    });
    return keyed.map((pair) => pair[1]);
  }

  function sortBy({ t: title, n: isNumber }) {
    sort.down = sort.title === title ? !sort.down : Boolean(isNumber);
    sort.title = title;
    state.page = 0;
    say(name + ', sorted by ' + title + (sort.down ? ', descending' : ', ascending'));
    draw();
  }

  function drawHead() {
    clear(head, state.columns.map((i) => {
      const column = block.cols[i];
      return el('th', { scope: 'col', class: column.n && 'number' }, el('button',
        { type: 'button', title: column.h, onclick: () => sortBy(column) }, column.t));
    }));
  }

  function drawCell(row, i) {
    const column = block.cols[i];
    const cell = row[1][i];
    const text = cellText(cell);
    const look = LOOKS[column.look];
    const facets = mergeFacets(row[0], column.f);
    const isHead = look === 'head' || column.a;
    const kind = column.n ? 'number' : !isHead && text.length > 40 ? 'text' : 'name';
    let shown = look === 'code' ? el('code', null, text) : Array.isArray(cell) ? inline(text) : text;
    if (column.a && cell !== null) {
      shown = el('a', { href: column.a + encodeURIComponent(text) + '/' }, shown);
    } else if (Array.isArray(cell) && cell[2] && isAbout(facets)) {
      shown = runsLink(facets, shown, cellHint(cell));
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
    state.columns.forEach((i, k) => head.cells[k].setAttribute('aria-sort',
      sort.title !== block.cols[i].t ? 'none' : sort.down ? 'descending' : 'ascending'));
    clear(body, rows.slice(first, end).map((row) => el('tr', { class: row[2] ? 'aside' : null },
      state.columns.map((i) => drawCell(row, i)))));
    drawPages(first, end);
  }

  function update() {
    state.rows = (pick && pick(block.rows)) || block.rows.filter(isRowLeft);
    state.columns = filled.filter((i) => isColumnLeft(block.cols[i]));
    state.page = 0;
    clear(caption, block.note && el('span', null, inline(block.note)));
    drawHead();
    draw();
  }

  onFilter(node, update);
  return { node, update };
}
