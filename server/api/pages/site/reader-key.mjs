/**
 * The test key that a signed-in reader fills into the examples. The service stores no key, only its
 * digest, so a key is created on request. It stays in the storage of this tab until the tab is
 * closed or the reader signs out, and is never in a page that the service sends.
 */

const keyStorageKey = 'vidgen.guide-key';
const keyDays = 7;
/** Relative to the page, so that it works below a path prefix. */
const serviceRoot = document.body.dataset.root ?? './';

/**
 * @typedef {{ person: { id: string, name: string, administrator: boolean },
 *   accounts: { id: string, name: string, role: 'owner' | 'developer' | 'viewer' }[] }} Session
 * @typedef {{ id: string, name: string, canCreateKeys: boolean }} ReaderAccount
 * @typedef {{ personId: string, accountName: string, key: string }} ReaderKey
 */

/**
 * A response other than 2xx. `confirmMethod`: how the session has to be confirmed first, with the
 * `password` or by signing in at the provider again (`openid`); null if that would not help.
 */
class RequestError extends Error {
  /** @param {string} message @param {{ confirmMethod: string | null }} options */
  constructor(message, { confirmMethod }) {
    super(message);
    this.confirmMethod = confirmMethod;
  }
}

/** @param {unknown} error */
export const confirmMethodOf = (error) =>
  error instanceof RequestError ? error.confirmMethod : null;

/** @param {string} path @param {unknown} [body] */
async function requestJson(path, body) {
  const response = await fetch(serviceRoot + path, {
    method: body === undefined ? 'GET' : 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const json = await response.json().catch(() => null);
  if (response.ok) return json;
  throw new RequestError(json?.error?.message ?? `Unexpected response (HTTP ${response.status}).`, {
    confirmMethod: response.headers.get('vidgen-confirm'),
  });
}

/**
 * Returns null for a reader who is not signed in. Only a browser that has opened the dashboard asks
 * the service, so that other readers cause no failed request.
 * @returns {Promise<Session | null>}
 */
export async function findSession() {
  if (storedAccountId() === null) return null;
  try {
    return await requestJson('session');
  } catch {
    forgetKey();
    return null;
  }
}

/** The account that was last open in the dashboard. */
function storedAccountId() {
  try {
    return localStorage.getItem('vidgen.account');
  } catch {
    return null;
  }
}

/**
 * The account that a key would be created in: the one last open in the dashboard, else the first.
 * An administrator need not be a member of it. Null for a person without an account.
 * @param {Session} session
 * @returns {Promise<ReaderAccount | null>}
 */
export async function findAccount({ accounts, person }) {
  const lastId = storedAccountId();
  const member = accounts.find(({ id }) => id === lastId);
  if (member) return { ...member, canCreateKeys: member.role !== 'viewer' };
  if (person.administrator && lastId) {
    const account = await requestJson(`admin/accounts/${lastId}`).catch(() => null);
    if (account) return { id: account.id, name: account.name, canCreateKeys: true };
  }
  const [first] = accounts;
  return first ? { ...first, canCreateKeys: first.role !== 'viewer' } : null;
}

/**
 * Throws where the session has to be confirmed; see `confirmMethodOf`.
 * @param {Session} session
 * @param {ReaderAccount} account
 * @returns {Promise<ReaderKey>}
 */
export async function createKey(session, account) {
  const expiresAt = new Date(Date.now() + keyDays * 86_400_000).toISOString();
  const body = { name: 'Guides', mode: 'test', expires_at: expiresAt };
  const { key } = await requestJson(`admin/accounts/${account.id}/keys`, body);
  const readerKey = { personId: session.person.id, accountName: account.name, key };
  sessionStorage.setItem(keyStorageKey, JSON.stringify(readerKey));
  return readerKey;
}

/** @param {string} password */
export const confirmPassword = (password) => requestJson('session/confirm', { password });

/** What people call the provider that they sign in with. @returns {Promise<string>} */
export async function findProviderName() {
  const methods = await requestJson('session/methods').catch(() => null);
  return methods?.openid?.name ?? 'single sign-on';
}

/** @type {BroadcastChannel | undefined} */
let confirmations;

/**
 * Opens the sign-in of the provider in a window of its own, which reports on a channel and closes
 * itself. Throws if it is blocked, or the person was not confirmed there. Does not return if the
 * person closes the window; a later call replaces it.
 */
export async function confirmAtProvider() {
  // Opened before the request: browsers block windows that no click has opened.
  const popup = open('', '_blank', 'popup,width=520,height=680');
  if (!popup) throw new Error('Allow pop-ups for this site, then try again.');
  confirmations?.close();
  // The dashboard's page at the end of the sign-in uses the same name.
  const channel = new BroadcastChannel('vidgen-confirmations');
  confirmations = channel;
  try {
    const { url } = await requestJson('session/confirm/openid', {});
    popup.location.href = url;
    const problem = await new Promise((resolve) => {
      channel.onmessage = ({ data }) => resolve(data.problem);
    });
    if (problem !== null) throw new Error(problem);
  } catch (error) {
    popup.close();
    throw error;
  } finally {
    channel.close();
  }
}

/**
 * The key of this tab, if the same person is still signed in.
 * @param {Session} session
 * @returns {ReaderKey | null}
 */
export function storedKey({ person }) {
  try {
    const stored = JSON.parse(sessionStorage.getItem(keyStorageKey) ?? 'null');
    if (stored?.personId === person.id) return stored;
  } catch {
    // The storage is blocked, or is not ours.
  }
  forgetKey();
  return null;
}

export function forgetKey() {
  try {
    sessionStorage.removeItem(keyStorageKey);
  } catch {
    // The storage is blocked.
  }
}
