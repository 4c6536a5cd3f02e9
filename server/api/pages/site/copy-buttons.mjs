/** Copy buttons on code blocks. */

const copiedMs = 2000;

export function addCopyButtons() {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button');
    button.className = 'button';
    button.type = 'button';
    button.textContent = 'Copy';
    button.ariaLabel = `Copy ${figure.querySelector('figcaption span')?.textContent}`;
    button.addEventListener('click', () => copyCode(figure, button));
    figure.querySelector('figcaption')?.append(button);
  }
}

/** @param {Element} figure @param {HTMLButtonElement} button */
async function copyCode(figure, button) {
  const pre = figure.querySelector('pre');
  const code = pre?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = 'Copied';
  } catch {
    // Without HTTPS there is no clipboard: the code is selected for Ctrl+C.
    if (pre) getSelection()?.selectAllChildren(pre);
    button.textContent = 'Press Ctrl+C';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, copiedMs);
}
