/* The page around the widgets: theme, answers, print; then every widget into its place. */

function themeButton() {
  const node = document.getElementById('theme');
  const root = document.documentElement;
  const order = ['auto', 'light', 'dark'];
  const show = () => {
    node.textContent = t('js.theme.' + (root.dataset.theme || 'auto'));
  };
  node.addEventListener('click', () => {
    const next = order[(order.indexOf(root.dataset.theme || 'auto') + 1) % order.length];
    if (next === 'auto') {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = next;
    }
    show();
  });
  show();
}

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

themeButton();
answersButton();
document.getElementById('print').addEventListener('click', () => window.print());
document.querySelectorAll('[data-widget]').forEach((root) => widgets[root.dataset.widget](root));
document.documentElement.dataset.ready = 'yes';
