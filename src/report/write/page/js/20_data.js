/* The document of the page, the filter that every part of it obeys, and what a reader chose. Facets
 * say which runs something speaks of: [task, variant, setting, seed], each a level or -1 for any,
 * those at the end left out; 0: of none in particular. */

const data = JSON.parse(document.getElementById('data').textContent);
const FACET_KEYS = ['task', 'variant', 'setting', 'seed'];
const [TASK, VARIANT, SETTING] = [0, 1, 2];

const levelsOf = (facets) => FACET_KEYS.map((key, i) =>
  (facets && facets[i] !== undefined ? facets[i] : -1));
const isAbout = (facets) => levelsOf(facets).some((level) => level >= 0);

/* What both say: the second is laid over the first. */
const mergeFacets = (a, b) => levelsOf(a).map((level, i) =>
  (b && b[i] >= 0 ? b[i] : level));

function facetNames(facets) {
  const [task, variant, setting] = levelsOf(facets);
  return [task >= 0 && data.tasks[task][1], variant >= 0 && data.variants[variant][1],
    variant >= 0 && data.variants[variant][0], setting >= 0 && data.settings[setting][1]]
    .filter((name) => name);
}

/* ---- the filter ---- */

const noFilter = () => ({ text: '', task: '', variant: '', sizes: data.sizes.map(() => '') });
const filter = noFilter();
const listeners = [];
let left = null; /* what the filter leaves; null: everything */

const keyOf = (levels) => levels.slice(0, 3).join();

/* The facets of every run. */
const runs = (() => {
  const section = data.blocks.find((block) => block.note === data.anchor);
  const table = section && section.b.find((block) => block.k === 'table');
  return table ? table.rows.map((row) => levelsOf(row[0])) : [];
})();

/* Each task, variant and setting that was run together: its names, and the keys of all facets that
 * it has. */
const cells = [...new Map(runs.map((levels) => [keyOf(levels), levels])).values()]
  .map((levels) => ({ levels, names: facetNames(levels).join(' ').toLowerCase(),
    keys: [0, 1, 2, 3, 4, 5, 6, 7].map((mask) =>
      keyOf(levels.map((level, i) => (mask >> i & 1 ? level : -1)))) }));

const holds = (names, words) => words.every((word) => names.includes(word));

function isChosen({ levels }) {
  return (filter.task === '' || levels[TASK] === Number(filter.task)) &&
    (filter.variant === '' || levels[VARIANT] === Number(filter.variant)) &&
    filter.sizes.every((size, i) =>
      size === '' || data.settings[levels[SETTING]][2][i] === Number(size));
}

/* Something is possible where a run that the choices leave has its facets, and named where the text
 * names a task, variant or setting of such a run, too. */
function applyFilter() {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word);
  const chosen = cells.filter(isChosen);
  const named = chosen.filter((cell) => holds(cell.names, words));
  const keys = (list) => new Set(list.flatMap((cell) => cell.keys));
  left = chosen.length === cells.length && !words.length ? null
    : { words, possible: keys(chosen), named: keys(named) };
}

const isIn = (keys, facets) => !left || !isAbout(facets) || left[keys].has(keyOf(levelsOf(facets)));
const isPossible = (facets) => isIn('possible', facets);
const isNamed = (facets) => isIn('named', facets);

/* A row is also found by what stands in it. */
const isRowLeft = (row) => !left || (isPossible(row[0]) && (!left.words.length ||
  (isAbout(row[0]) && isNamed(row[0])) ||
  holds([...row[1].map(cellText), ...facetNames(row[0])].join(' ').toLowerCase(), left.words)));

/* A text that names no run says nothing of columns. */
const isColumnLeft = (column) => isPossible(column.f) &&
  (!left || !left.named.size || isNamed(column.f));

/* Whether the filter leaves something of a block, a panel or a line: itself, and something in it
 * where what is in it speaks of runs. */
const partsOf = (part) => part.b || part.panels || part.lines || [];
const speaks = (part) => isAbout(part.f) || partsOf(part).some(speaks);

function isLeft(part) {
  const parts = partsOf(part).filter(speaks);
  return isNamed(part.f) && (!parts.length || parts.some(isLeft));
}

function onFilter(node, update) {
  listeners.push([node, update]);
}

function filterChanged() {
  applyFilter();
  const here = listeners.filter(([node]) => node.isConnected);
  listeners.length = 0;
  listeners.push(...here);
  here.forEach(([, update]) => update());
}

/* ---- what a reader chose ---- */

/* An object for a place of the page, the same one when the place is drawn anew: the options of a
 * choice are one place, so that what was chosen in one holds in the others as far as they have it. */
const kept = new Map();

function keptAt(place, kind) {
  const key = place + ' ' + kind;
  kept.set(key, kept.get(key) || {});
  return kept.get(key);
}

/* ---- links to runs, and texts ---- */

function runsLink(facets, text, title) {
  const levels = levelsOf(facets);
  const query = FACET_KEYS.map((key, i) => (levels[i] >= 0 ? key + '=' + levels[i] : ''))
    .filter((part) => part).join('&');
  return el('a', { href: '#' + data.anchor + '&' + query, title: title || 'opens the runs' }, text);
}

/* Inline Markdown: **strong**, `code`, [text](address), and \ before a character that means nothing
 * else. Texts become text nodes; an address is shown only where it leads into the report. */
const INLINE = /\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|_([^_]+)_|\\(.)/g;

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const part of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, part.index));
    end = part.index + part[0].length;
    if (part[1] !== undefined) {
      nodes.push(el('strong', null, inline(part[1])));
    } else if (part[2] !== undefined) {
      nodes.push(el('code', null, part[2]));
    } else if (part[3] !== undefined) {
      nodes.push(/^[a-z]+:/i.test(part[4]) ? part[0] : el('a', { href: part[4] }, part[3]));
    } else if (part[5] !== undefined) {
      const inWord = /\w$/.test(text.slice(0, part.index)) || /^\w/.test(text.slice(end));
      nodes.push(inWord ? part[0] : el('em', null, part[5]));
    } else {
      nodes.push(part[6]);
    }
  }
  nodes.push(text.slice(end));
  return nodes;
}
