/** `doctor`: checks what a request needs, from this machine to the account's credits. */
import { credentialsFile } from './credentials.mjs';
import { CliError, show, table } from './output.mjs';
import { apiKey, defaultUrl, probe, serviceUrl } from './service.mjs';

/** @import { Values } from './arguments.mjs' */

/** The version of the service that this file belongs to. */
export const version = '0.2.0';

/** Webhook signatures older than this are rejected by receivers. */
const skewSecondsMax = 300;
const skewSecondsWarned = 30;

/** @typedef {[result: 'ok' | 'warning' | 'failed', check: string, detail: string]} Check */

/** @param {Values} values */
export async function doctor(values) {
  /** @type {Check[]} */
  const checks = [checkNode(), ...(await checkService())];
  const isReachable = checks.every(([result, name]) => name !== 'service' || result !== 'failed');
  if (isReachable) checks.push(...(await checkKey()), ...(await checkCreate(values.callback)));
  const json = checks.map(([result, name, detail]) => ({ result, check: name, detail }));
  show({ checks: json }, () => table(checks, ['RESULT', 'CHECK', 'DETAIL']));
  const failed = checks.filter(([result]) => result === 'failed').map(([, name]) => name);
  if (failed.length > 0) throw new CliError(`Failed: ${failed.join(', ')}.`, { json: null });
}

/** @returns {Check} */
function checkNode() {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > 18 || (major === 18 && minor >= 3);
  return [isNew ? 'ok' : 'failed', 'node', isNew ? node : `${node}; 18.3 or newer is needed`];
}

/** Whether it responds, its clock, and its version. @returns {Promise<Check[]>} */
async function checkService() {
  const startedAt = Date.now();
  const { status, json, headers, error } = await probe('/healthz');
  const tookMs = Date.now() - startedAt;
  if (error || !json?.checks) {
    const from = process.env.VIDGEN_URL ? 'VIDGEN_URL' : `the default, ${defaultUrl}`;
    return [['failed', 'service', `${error ?? `${serviceUrl} returned ${status}`}; URL: ${from}`]];
  }
  const broken = Object.entries(json.checks).filter(([, result]) => result !== 'ok');
  const health = broken.map(([name, result]) => `${name}: ${result}`).join(', ');
  // The header has whole seconds, and belongs to the middle of the request.
  const serverMs = Date.parse(headers?.get('date') ?? '') + 500;
  const skewSeconds = Math.round((startedAt + tookMs / 2 - serverMs) / 1000);
  const { json: document } = await probe('/openapi.json');
  const theirs = document?.info?.version ?? 'unknown';
  return [
    health ? ['failed', 'service', health] : ['ok', 'service', `${serviceUrl}, ${tookMs} ms`],
    checkClock(skewSeconds),
    theirs === version
      ? ['ok', 'version', version]
      : [
          'warning',
          'version',
          `service ${theirs}, this file ${version}; run: curl -fsSO ${serviceUrl}/vidgen.mjs`,
        ],
  ];
}

/** @param {number} skewSeconds @returns {Check} */
function checkClock(skewSeconds) {
  if (Number.isNaN(skewSeconds)) return ['warning', 'clock', 'the service sent no date'];
  const side = skewSeconds < 0 ? 'behind' : 'ahead of';
  const detail = `${Math.abs(skewSeconds)} s ${side} the service`;
  if (Math.abs(skewSeconds) >= skewSecondsMax) {
    return ['failed', 'clock', `${detail}; receivers here reject webhook signatures`];
  }
  if (Math.abs(skewSeconds) >= skewSecondsWarned) return ['warning', 'clock', detail];
  return ['ok', 'clock', 'within a few seconds of the service'];
}

/** The key and what it can spend. @returns {Promise<Check[]>} */
async function checkKey() {
  let key = '';
  try {
    key = apiKey();
  } catch (error) {
    return [['failed', 'key', /** @type {Error} */ (error).message]];
  }
  const from = process.env.VIDGEN_KEY ? 'VIDGEN_KEY' : credentialsFile;
  const { status, json, error } = await probe('/v1/credits', { key });
  if (status !== 200) {
    const reason = error ?? json?.error?.message ?? `the response was ${status}`;
    return [['failed', 'key', `${reason} (from ${from})`]];
  }
  const credits = `${json.available} ${json.mode} credits available, ${json.reserved} reserved`;
  return [
    ['ok', 'key', `a ${json.mode} key from ${from}`],
    [json.available > 0 ? 'ok' : 'warning', 'credits', credits],
  ];
}

/** Whether a create, with the callback URL if there is one, would be accepted. */
async function checkCreate(/** @type {unknown} */ callback) {
  let key = '';
  try {
    key = apiKey();
  } catch {
    return [];
  }
  const body = {
    model: 'vidgen-2-5',
    input: { prompt: 'doctor' },
    ...(callback === undefined ? {} : { callback_url: callback }),
  };
  const { status, json, error } = await probe('/v1/videos/generations/estimate', { key, body });
  const name = callback === undefined ? 'create' : 'webhook';
  const accepted = callback === undefined ? 'the key may create videos' : `${callback} is allowed`;
  const reason = error ?? json?.error?.message ?? `the response was ${status}`;
  /** @type {Check} */
  const check = status === 200 ? ['ok', name, accepted] : ['failed', name, reason];
  return status === 401 ? [] : [check];
}
