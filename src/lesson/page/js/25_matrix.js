/* Tables. A row is a list of its cells: the first is its head, those of the columns in `numbers` are set
 * flush right, and what is a cell already stays as it is. */

function makeTable(titles, rows, numbers, caption) {
  const number = (j) => ({ class: numbers.includes(j) && 'number' });
  const cell = (content, j) => (content instanceof HTMLTableCellElement ? content
    : j ? el('td', number(j), content) : el('th', { scope: 'row' }, content));
  return el('div', { class: 'scroll' }, el('table', null, caption && el('caption', null, caption),
    el('thead', null, el('tr', null, titles.map((title, j) =>
      el('th', Object.assign({ scope: 'col' }, number(j)), title)))),
    el('tbody', null, rows.map((row) => el('tr', null, row.map(cell))))));
}

/* A matrix as a table. Numbers can be edited, or else pointed at: by mouse, finger or arrow keys. Tab
 * reaches one cell of a table, so that a page of them is left in a few steps. */

function makeMatrix(title, rowNames, columnNames, options) {
  const nRow = rowNames.length;
  const nColumn = columnNames.length;
  const cells = range(nRow).map(() => []);
  const body = el('tbody');
  range(nRow).forEach((i) => {
    const row = el('tr', null, el('th', { scope: 'row' }, rowNames[i]));
    range(nColumn).forEach((j) => {
      const cell = el('td');
      if (options.edit) {
        cell.className = 'edit';
        const input = el('input', { type: 'number', step: 1, min: -9, max: 9,
          'aria-label': title + ' ' + rowNames[i] + ', ' + columnNames[j] });
        input.addEventListener('input', () => options.edit(i, j, Number(input.value) || 0));
        input.addEventListener('focus', () => {
          move(i, j);
          input.select();
        });
        input.addEventListener('blur', () => {
          input.value = Number(input.value) || 0;
        });
        cell.append(input);
      }
      if (options.point) {
        const point = () => {
          move(i, j);
          options.point(i, j);
        };
        ['focus', 'pointerenter', 'click'].forEach((type) => cell.addEventListener(type, point));
      }
      cells[i].push(cell);
      row.append(cell);
    });
    body.append(row);
  });
  const table = el('table', { class: 'matrix' }, el('caption', null, subscripts(title)),
    el('thead', null, el('tr', null, el('td', { hidden: true }), el('th', null, ''),
      columnNames.map((name) => el('th', { scope: 'col' }, name)))), body);
  table.tHead.rows[0].cells[0].remove();
  const stop = (i, j) => (options.edit ? cells[i][j].firstChild : cells[i][j]);
  const move = options.point || options.edit ? arrowKeys(body, stop, nRow, nColumn) : null;
  if (nRow === nColumn && options.diagonal) {
    cells.forEach((row, i) => row[i].classList.add('diagonal'));
  }
  return { node: el('div', { class: 'scroll' }, table), cells,
    /* share(i, j), if given, colours the cells */
    set(values, text, share) {
      cells.forEach((row, i) => row.forEach((cell, j) => {
        if (options.edit) {
          /* not while it is typed in: "-" is no number yet */
          if (cell.firstChild !== document.activeElement) {
            cell.firstChild.value = values[i][j];
          }
        } else {
          cell.textContent = (text || short)(values[i][j]);
        }
        if (share) {
          paint(cell, share(i, j));
        }
      }));
    },
    mark(kind, chosen) {
      cells.forEach((row, i) => row.forEach((cell, j) =>
        cell.classList.toggle(kind, chosen(i, j))));
    } };
}
