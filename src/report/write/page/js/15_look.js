/* How all pages look: colours of shares, canvases of them that can be read, and the theme. */

function colourAt(share) {
  const n = data.colours.length - 1;
  const at = Math.min(Math.max(share, 0), 1) * n;
  const below = Math.min(Math.floor(at), n - 1);
  return [0, 1, 2].map((i) => Math.round(data.colours[below][i] +
    (data.colours[below + 1][i] - data.colours[below][i]) * (at - below)));
}

/* A canvas of squares in the colours of share(i, j). */
function paintShares(nRow, nColumn, share, attributes) {
  const canvas = el('canvas', Object.assign({ width: nColumn, height: nRow, role: 'img' }, attributes));
  const context = canvas.getContext('2d');
  const image = context.createImageData(nColumn, nRow);
  for (let i = 0; i < nRow * nColumn; i++) {
    image.data.set([...colourAt(share(Math.floor(i / nColumn), i % nColumn)), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function colourBar(name, ...texts) {
  return el('div', { class: 'scale' }, el('span', null, '0'), paintShares(1, 128, (i, j) => j / 127,
    { class: 'bar-canvas', 'aria-label': name }), texts);
}

/* The n x n places of a canvas are read by pointer or finger, and by arrow keys once it has the focus:
 * read(i, j) shows what is there and returns it as a text. */
function readPlaces(canvas, n, read) {
  let place = null;
  const show = (...at) => {
    place = at.map((k) => Math.min(Math.max(k, 0), n - 1));
    return read(...place);
  };
  const byPointer = (event) => {
    const box = canvas.getBoundingClientRect();
    show(Math.floor((event.clientY - box.top) / box.height * n),
      Math.floor((event.clientX - box.left) / box.width * n));
  };
  canvas.addEventListener('pointermove', byPointer);
  canvas.addEventListener('pointerdown', byPointer);
  canvas.addEventListener('keydown', (event) => {
    const step = ARROWS[event.key];
    if (step) {
      event.preventDefault();
      say(place ? show(place[0] + step[0], place[1] + step[1]) : show(0, 0));
    }
  });
}

/* ---- theme ---- */

const THEMES = ['automatic', 'light', 'dark'];

/* What the browser remembers, or is to; null where it keeps nothing for files. */
function remembered(theme) {
  try {
    if (theme) {
      localStorage.setItem('qkvlab-theme', theme);
    }
    return localStorage.getItem('qkvlab-theme');
  } catch (problem) {
    return null;
  }
}

function setTheme(theme, title) {
  const button = document.getElementById('theme');
  button.textContent = title(theme);
  button.dataset.theme = theme;
  if (theme === 'automatic') {
    document.documentElement.removeAttribute('data-theme');
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

/* The button goes through the themes; title(theme) is what it says. */
function buildTheme(title) {
  const button = document.getElementById('theme');
  setTheme(THEMES.find((theme) => theme === remembered()) || 'automatic', title);
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(button.dataset.theme) + 1) % THEMES.length];
    setTheme(next, title);
    remembered(next);
  });
}
