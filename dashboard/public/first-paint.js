// Sets the stored or the system's color scheme before the first paint, to avoid a flash.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  } catch {
    // The storage is blocked; the system's scheme applies.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
  document.documentElement.style.backgroundColor = dark ? '#151618' : '#ffffff';
})();

// Without its scripts the page would stay empty, for example while a cluster is upgraded and a
// proxy asks an old process for the files of the new build.
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    if (document.readyState !== 'loading') showNotLoaded();
    else addEventListener('DOMContentLoaded', showNotLoaded, { once: true });
  },
  true,
);

function showNotLoaded() {
  const root = document.getElementById('root');
  if (root.hasChildNodes()) return;
  const page = document.createElement('main');
  const title = document.createElement('h1');
  title.textContent = 'This page couldn’t be loaded';
  const text = document.createElement('p');
  text.textContent = 'The server may be restarting after an upgrade. Reload in a moment.';
  const button = document.createElement('button');
  button.textContent = 'Reload';
  button.addEventListener('click', () => location.reload());
  page.append(title, text, button);
  title.style.fontSize = '1.5em';
  Object.assign(page.style, { font: '16px/1.5 system-ui', margin: 'auto', maxWidth: '30em' });
  page.style.padding = '20vh 1em 0';
  document.body.style.background = 'none';
  root.append(page);
}
