/* A table whose columns sort by a click or a key, with pages. column: {title, number: aligned to the
 * right, value(row): sorted by, show(row): what stands there (default: the value), head: a row
 * heading, hint}. */

const PAGE = 50;

function compareValues(a, b) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  if (missing(a) || missing(b)) {
    return { order: missing(a) - missing(b), fixed: true };
  }
  const order = typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
  return { order, fixed: false };
}

function makeTable(name) {
  const state = { columns: [], rows: [], sort: null, down: false, page: 0, all: false };
  const head = el('tr');
  const body = el('tbody');
  const caption = el('caption');
  const pages = el('div', { class: 'pages' });
  const node = el('div', { class: 'table', 'data-table': name },
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
      el('table', null, caption, el('thead', null, head), body)), pages);

  function sorted() {
    const column = state.columns.find((item) => item.title === state.sort);
    if (!column) {
      return state.rows;
    }
    const keyed = state.rows.map((row) => [column.value(row), row]);
    keyed.sort((a, b) => {
      const { order, fixed } = compareValues(a[0], b[0]);
      return fixed || !state.down ? order : -order;
    });
    return keyed.map((pair) => pair[1]);
  }

  function sortBy(column) {
    state.down = state.sort === column.title ? !state.down : Boolean(column.number);
    state.sort = column.title;
    state.page = 0;
    say(name + ', sorted by ' + column.title + (state.down ? ', descending' : ', ascending'));
    draw();
  }

  function drawHead() {
    const focused = document.activeElement && head.contains(document.activeElement)
      ? document.activeElement.textContent : null;
    clear(head, state.columns.map((column) => {
      const order = state.sort !== column.title ? 'none' : state.down ? 'descending' : 'ascending';
      const button = el('button', { type: 'button', title: column.hint,
        onclick: () => sortBy(column) }, column.title);
      return el('th', { scope: 'col', 'aria-sort': order, class: column.number && 'number' },
        button);
    }));
    const again = [...head.querySelectorAll('button')].find((b) => b.textContent === focused);
    if (again) {
      again.focus();
    }
  }

  function drawRow(row) {
    return el('tr', null, state.columns.map((column) => {
      const shown = column.show ? column.show(row) : column.value(row);
      const kind = column.number ? 'number' : column.text ? 'text' : 'name';
      return el(column.head ? 'th' : 'td', { class: kind, scope: column.head && 'row' },
        shown === null || shown === undefined ? '–' : shown);
    }));
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
    clear(body, rows.slice(first, end).map(drawRow));
    drawPages(first, end);
  }

  return {
    node,
    update(columns, rows, text) {
      state.columns = columns;
      state.rows = rows;
      state.page = 0;
      clear(caption, text && el('span', null, text));
      draw();
    },
  };
}
