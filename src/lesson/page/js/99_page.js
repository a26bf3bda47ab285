/* The page around the widgets: answers, print, the part that is being read; then every widget into
 * its place. */

function answersButton() {
  const node = document.getElementById('answers');
  node.textContent = t('js.answers');
  node.addEventListener('click', () => {
    const open = node.getAttribute('aria-pressed') !== 'true';
    node.setAttribute('aria-pressed', open);
    document.querySelectorAll('details.answer').forEach((details) => {
      details.open = open;
    });
  });
}

/* The last part whose beginning is above the middle of the window. */
function markPart() {
  const links = Array.from(document.querySelectorAll('nav a'));
  const parts = links.map((link) => document.querySelector(link.hash));
  let current = null;
  function mark() {
    const reached = parts.filter((part) => part.getBoundingClientRect().top < window.innerHeight / 2);
    const link = links[reached.length - 1] || null;
    if (link !== current) {
      links.forEach((other) => other.removeAttribute('aria-current'));
      if (link) {
        link.setAttribute('aria-current', 'true');
      }
      current = link;
    }
  }
  document.addEventListener('scroll', mark, { passive: true });
  window.addEventListener('resize', mark);
  mark();
}

buildTheme((theme) => t('js.theme.' + theme));
answersButton();
document.getElementById('print').addEventListener('click', () => window.print());
document.querySelectorAll('[data-widget]').forEach((root) => widgets[root.dataset.widget](root));
markPart();
document.documentElement.dataset.ready = 'yes';
