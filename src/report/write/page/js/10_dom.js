/* Elements are made here and nowhere else: texts become text nodes, never markup. */

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) {
      append(node, child);
    } else if (child !== null && child !== undefined && child !== false) {
      node.append(child);
    }
  }
  return node;
}

function setAttributes(node, attributes) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (key.startsWith('on')) {
      node.addEventListener(key.slice(2), value);
    } else {
      node.setAttribute(key, value === true ? '' : value);
    }
  }
  return node;
}

function el(tag, attributes, ...children) {
  return append(setAttributes(document.createElement(tag), attributes), children);
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return append(setAttributes(node, attributes), children);
}

function clear(node, ...children) {
  node.textContent = '';
  return append(node, children);
}

function select(label, options, value, change, name) {
  const node = el('select', { name, onchange: () => change(node.value) });
  for (const [key, title] of options) {
    node.append(el('option', { value: key, selected: String(key) === String(value) }, title));
  }
  return el('label', null, label, node);
}

function check(label, value, change) {
  const node = el('input', { type: 'checkbox', checked: value,
    onchange: () => change(node.checked) });
  return el('label', { class: 'check' }, node, label);
}

function plural(n, word) {
  return n + ' ' + word + (n === 1 ? '' : 's');
}

function number(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return '–';
  }
  return Number(value.toPrecision(digits || 4)).toString();
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function say(text) {
  document.getElementById('live').textContent = text;
}

/* base64 of little-endian float32 or of bytes */
function decodeBytes(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return bytes;
}

function decodeFloats(text) {
  return new Float32Array(decodeBytes(text).buffer);
}

/* Rows down and columns to the right that a key goes. */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
