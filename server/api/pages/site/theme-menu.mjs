/** The theme menu. The choice is the dashboard's: all pages of this service share it. */

/** Where Mantine, the dashboard's component library, keeps the choice. */
const themeStorageKey = 'mantine-color-scheme-value';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export function connectThemeMenu() {
  const menu = document.getElementById('theme-menu');
  menu?.addEventListener('click', ({ target }) => {
    const choice = /** @type {HTMLElement} */ (target).closest('button')?.value;
    if (!choice) return;
    chooseTheme(choice);
    menu.hidePopover();
  });
  systemIsDark.addEventListener('change', applyTheme);
  // Another tab has changed it.
  addEventListener('storage', applyTheme);
  // Scalar sets its own choice when the theme of the system changes.
  new MutationObserver(applyTheme).observe(document.body, { attributeFilter: ['class'] });
  applyTheme();
}

/** @param {string} choice */
function chooseTheme(choice) {
  try {
    localStorage.setItem(themeStorageKey, choice);
  } catch {
    // The storage is full or blocked.
  }
  applyTheme();
}

function chosenTheme() {
  try {
    return localStorage.getItem(themeStorageKey) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function applyTheme() {
  const choice = chosenTheme();
  const isDark = choice === 'dark' || (choice !== 'light' && systemIsDark.matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  // Scalar styles by these classes.
  document.body.classList.toggle('dark-mode', isDark);
  document.body.classList.toggle('light-mode', !isDark);
  for (const button of document.querySelectorAll('#theme-menu button')) {
    const { value } = /** @type {HTMLButtonElement} */ (button);
    button.setAttribute('aria-pressed', String(value === choice));
  }
}
