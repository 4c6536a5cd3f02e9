/** The bar above a guide that fills the reader's test key into the examples. */
import {
  confirmAtProvider,
  confirmMethodOf,
  confirmPassword,
  createKey,
  findAccount,
  findProviderName,
  findSession,
  forgetKey,
  storedKey,
} from './reader-key.mjs';

/** @import { ReaderAccount, ReaderKey, Session } from './reader-key.mjs' */

export async function showKeyBar() {
  const bar = document.getElementById('key-bar');
  if (!bar) return;
  const session = await findSession();
  if (!session) return drawSignedOut(bar);
  showPerson(session);
  const stored = storedKey(session);
  if (stored) drawFilled(bar, session, stored);
  else await drawOffer(bar, session);
}

/** @param {Session} session */
function showPerson({ person }) {
  const link = document.querySelector('.site-header .sign-in');
  if (link) link.textContent = person.name;
}

/** @param {HTMLElement} bar */
function drawSignedOut(bar) {
  const link = element('a', { textContent: 'Sign in' });
  link.setAttribute('href', `${document.body.dataset.root}dashboard`);
  const text = element('p', {});
  text.append(link, ' to fill a test key of your account into the examples on this page.');
  bar.replaceChildren(text);
}

/** @param {HTMLElement} bar @param {Session} session */
async function drawOffer(bar, session) {
  const account = await findAccount(session);
  if (!account?.canCreateKeys) {
    const text = 'To run the examples, ask an owner or a developer of your account for an API key.';
    return bar.replaceChildren(element('p', { textContent: text }));
  }
  const text = element('p', {
    textContent:
      `Run the examples with a test key of ${account.name}. ` +
      'It is free, stays in this tab and expires in 7 days.',
  });
  const button = element('button', {
    className: 'button primary',
    textContent: 'Fill in a test key',
  });
  button.addEventListener('click', () => fillIn(bar, session, account));
  bar.replaceChildren(text, button);
}

/** @param {HTMLElement} bar @param {Session} session @param {ReaderAccount} account */
async function fillIn(bar, session, account) {
  try {
    drawFilled(bar, session, await createKey(session, account));
  } catch (error) {
    const method = confirmMethodOf(error);
    const retry = () => fillIn(bar, session, account);
    if (method === 'password') drawPasswordForm(bar, retry);
    else if (method === 'openid') await drawProviderForm(bar, retry);
    else drawError(bar, error);
  }
}

/** @param {HTMLElement} bar @param {() => Promise<void>} retry */
async function drawProviderForm(bar, retry) {
  const name = await findProviderName();
  const text = element('p', { textContent: `Sign in to ${name} again to create the key.` });
  const button = element('button', {
    className: 'button primary',
    textContent: `Continue with ${name}`,
  });
  button.addEventListener('click', async () => {
    try {
      await confirmAtProvider();
      await retry();
    } catch (error) {
      drawError(bar, error);
    }
  });
  bar.replaceChildren(text, button);
  button.focus();
}

/** @param {HTMLElement} bar @param {() => Promise<void>} retry */
function drawPasswordForm(bar, retry) {
  const form = element('form', {});
  const label = element('label', { textContent: 'Confirm your password to create the key:' });
  const input = /** @type {HTMLInputElement} */ (element('input', { id: 'key-password' }));
  input.type = 'password';
  input.autocomplete = 'current-password';
  input.required = true;
  label.setAttribute('for', input.id);
  form.append(
    label,
    input,
    element('button', { className: 'button primary', textContent: 'Confirm' }),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await confirmPassword(input.value);
      await retry();
    } catch (error) {
      drawError(bar, error);
    }
  });
  bar.replaceChildren(form);
  input.focus();
}

/** @param {HTMLElement} bar @param {unknown} error */
function drawError(bar, error) {
  bar.querySelector('[role="alert"]')?.remove();
  const alert = element('p', {
    textContent: error instanceof Error ? error.message : String(error),
  });
  alert.setAttribute('role', 'alert');
  bar.append(alert);
}

/** @param {HTMLElement} bar @param {Session} session @param {ReaderKey} readerKey */
function drawFilled(bar, session, { key, accountName }) {
  fillCode(key);
  const text = element('p', { textContent: `A test key of ${accountName} is filled in.` });
  const button = element('button', { className: 'button', textContent: 'Remove key' });
  button.addEventListener('click', () => {
    forgetKey();
    fillCode(null);
    drawOffer(bar, session);
  });
  bar.replaceChildren(text, button);
}

/** Null restores the placeholders. @param {string | null} key */
function fillCode(key) {
  for (const place of document.querySelectorAll('[data-key]')) {
    place.textContent = key ?? place.getAttribute('data-key');
    place.toggleAttribute('data-filled', key !== null);
  }
}

/**
 * @param {string} name
 * @param {{ id?: string, className?: string, textContent?: string }} properties
 */
function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
