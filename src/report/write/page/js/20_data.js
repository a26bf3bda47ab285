/* The document of the page, and the filter that every part of it obeys. Facets say which runs
 * something speaks of: [task, variant, setting, seed], each a number or -1 for any; 0 is all of them. */

const data = JSON.parse(document.getElementById('data').textContent);
const ANY = [-1, -1, -1, -1];
const TASK = 0;
const VARIANT = 1;
const SETTING = 2;

const filter = { text: '', task: '', variant: '', sizes: data.sizes.map(() => '') };
const listeners = [];

const settingSizes = (setting) => data.settings[setting][1];

/* What both say: the second is laid over the first. */
function mergeFacets(a, b) {
  return (a || ANY).map((level, i) => ((b || ANY)[i] >= 0 ? b[i] : level));
}

function facetsMatch(facets) {
  const [task, variant, setting] = facets || ANY;
  return (filter.task === '' || task < 0 || task === Number(filter.task)) &&
    (filter.variant === '' || variant < 0 || variant === Number(filter.variant)) &&
    (setting < 0 || filter.sizes.every((size, i) =>
      size === '' || settingSizes(setting)[i] === Number(size)));
}

function facetNames(facets) {
  const [task, variant, setting] = facets || ANY;
  return [task >= 0 && data.tasks[task][1], variant >= 0 && data.variants[variant][1],
    variant >= 0 && data.variants[variant][0], setting >= 0 && data.settings[setting][0]]
    .filter((name) => name);
}

/* matches: words are those that belong to the thing, beside the names of its facets. */
function matches(facets, words) {
  const wanted = filter.text.toLowerCase().split(/\s+/).filter((word) => word);
  if (!facetsMatch(facets)) {
    return false;
  }
  const hay = wanted.length ? [...facetNames(facets), words || ''].join(' ').toLowerCase() : '';
  return wanted.every((word) => hay.includes(word));
}

function onFilter(node, update) {
  listeners.push([node, update]);
}

function filterChanged() {
  const here = listeners.filter(([node]) => node.isConnected);
  listeners.length = 0;
  listeners.push(...here);
  here.forEach(([, update]) => update());
}

/* Every number links to the runs behind it. */
const FACET_KEYS = ['task', 'variant', 'setting', 'seed'];

function runsLink(facets, text, title) {
  const query = FACET_KEYS.map((key, i) => (facets[i] >= 0 ? key + '=' + facets[i] : ''))
    .filter((part) => part).join('&');
  return el('a', { href: '#runs&' + query, title: title || 'opens the runs' }, text);
}

const hasFacets = (facets) => facets.some((level) => level >= 0);

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
