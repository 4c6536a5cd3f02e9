/** Requests to the service, with its URL and the API key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { storedKey } from './credentials.mjs';
import { CliError, printStatus, self, state } from './output.mjs';

/**
 * @typedef {{ method?: string, body?: unknown, headers?: Record<string, string>,
 *   isPublic?: boolean }} RequestOptions `isPublic`: sent without the key.
 */

/** The service replaces it by its own URL in the copy that it serves. */
export const defaultUrl = 'http://127.0.0.1:8787';

export const serviceUrl = (process.env.VIDGEN_URL || defaultUrl).replace(/\/{1,9}$/, '');

let hasResponded = false;

/** @param {string} id */
export const taskPath = (id) => `/v1/tasks/${encodeURIComponent(id)}`;

/** Retries temporary failures. @param {string} path @param {RequestOptions} [options] */
export async function request(path, options) {
  for (let attempt = 1; ; attempt++) {
    const { json, error, pauseSeconds } = await requestOnce(path, options);
    if (error === undefined) return json;
    // Also after a lost response: a create has an idempotency key.
    if (pauseSeconds === undefined || attempt === 6) throw error;
    const seconds = pauseSeconds || 2 ** (attempt - 2);
    printStatus(`${error.message} Retrying in ${seconds} s.`);
    await sleep(seconds * 1000);
  }
}

/** With `pauseSeconds`, a retry can help. @param {string} path @param {RequestOptions} [options] */
async function requestOnce(path, { method = 'GET', body, headers = {}, isPublic } = {}) {
  const authorization = isPublic ? {} : { authorization: `Bearer ${apiKey()}` };
  const isFile = body instanceof Uint8Array;
  const type = body ? { 'content-type': 'application/json' } : {};
  try {
    const response = await fetch(serviceUrl + path, {
      method,
      headers: { ...authorization, ...type, ...headers },
      // Following a redirect would turn a POST into a GET.
      redirect: 'manual',
      signal: AbortSignal.timeout(isFile ? 600_000 : 90_000),
      ...(body ? { body: /** @type {BodyInit} */ (isFile ? body : JSON.stringify(body)) } : {}),
    });
    const text = await response.text();
    hasResponded = true;
    const json = /^\s*\{/.test(text) ? JSON.parse(text) : undefined;
    const ignored = response.headers.get('vidgen-ignored');
    if (ignored) printStatus(`Ignored for this generation type: ${ignored}.`);
    state.progress = Number(response.headers.get('vidgen-progress') ?? Number.NaN);
    if (response.ok && json) return { json };
    const error = toCliError(response, json);
    const canHelp = response.status === 429 || response.status >= 500;
    const pauseSeconds = Number(response.headers.get('retry-after')) || 0;
    return canHelp ? { error, pauseSeconds } : { error };
  } catch (error) {
    const { cause = error } = /** @type {Error} */ (error);
    const { code = '', message } = /** @type {Error & { code?: string }} */ (cause);
    const summary = `Could not reach ${serviceUrl}: ${code || message}.`;
    if (!hasResponded && /^(ECONNREFUSED|ENOTFOUND|ERR_INVALID_URL)$/.test(code)) {
      throw new CliError(`${summary} Check that the server is running and VIDGEN_URL is correct.`);
    }
    return { error: new CliError(summary, { isUnknown: true }), pauseSeconds: 0 };
  }
}

/** Of the environment, or of an earlier `login`. Throws if there is none. */
export function apiKey() {
  const key = process.env.VIDGEN_KEY || storedKey(serviceUrl) || '';
  if (/^[!-~]+$/.test(key.trim())) return key.trim();
  const problem = key.trim() === '' ? 'is not set' : 'contains invalid characters';
  const create = `Create a key at ${serviceUrl}/dashboard, then run: export VIDGEN_KEY=vg_…`;
  const advice = `${create} Or: ${self} login`;
  throw new CliError(`VIDGEN_KEY ${problem}. ${advice}`, { exit: 3 });
}

/** @param {Response} response @param {{ error?: { message?: string } }} [json] */
function toCliError({ status, headers }, json) {
  const exit = { 401: 3, 402: 4, 403: 3 }[status] ?? 1;
  const hint = headers.has('location') ? `, moved to ${headers.get('location')}` : ', not in JSON';
  const message = `${serviceUrl} returned ${status}${hint}. Check VIDGEN_URL.`;
  return new CliError(json?.error?.message ?? message, { exit, isUnknown: status >= 500, json });
}
