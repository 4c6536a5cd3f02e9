#!/usr/bin/env node
/**
 * The vidgen command line, in one file without dependencies, for Node 18.3 or newer. Results go to
 * stdout, everything else to stderr. A create is charged once, however often it is retried.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** The service replaces it by its own URL in the copy that it serves. */
const defaultUrl = 'http://127.0.0.1:8787';

const { env, stdout, stderr } = process;
const serviceUrl = (env.VIDGEN_URL || defaultUrl).replace(/\/{1,9}$/, '');
/** Quotes a word for a shell. */
const quoted = (word = '') => (/^[\w./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
const self = `node ${quoted(relative('', process.argv[1] ?? ''))}`;

const help = `Creates videos from the command line.

  ${self} create --prompt "A paper boat on a rainy street" --wait -o boat.mp4

  create      create a video task; prints its ID, or with --wait the URL of the video
  get ID      show a task
  list        list your tasks, newest first
  cancel ID   cancel a task that is not final; its credits are refunded
  estimate    show what a create with the same flags would cost; reserves nothing
  models      list the models, their limits and their credits per second
  credits     show the credits that your key can spend

create, estimate
  --prompt TEXT        what the video should show; required
  --model NAME         vidgen-2-5 by default
  --type TYPE          text-to-video, image-to-video or reference-to-video
  --image URL          also --video and --audio; a URL or a local file; repeat for more
  --duration SECONDS   -1 edits the given video
  --resolution SIZE    480p, 720p, 1080p or 4k
  --ratio RATIO        16:9, 4:3, 1:1, 3:4, 9:16, 21:9 or adaptive
  --seed NUMBER        2.0 models only
  --no-sound, --watermark, --web-search, --last-frame
  --callback URL       receives a webhook when the task is final
  --idempotency-key K  create only: the same key never creates a second task
create, get
  --wait               wait until the task is final
  -o, --output FILE    wait, then download the video
list
  --status S, --model NAME, --created-after T, --created-before T, --limit N, --cursor C
All commands: --json prints the response of the service.

VIDGEN_KEY is your API key; create one at ${serviceUrl}/dashboard
VIDGEN_URL is the URL of the service, ${defaultUrl} by default
Exit codes: 0 success, 1 rejected or failed, 2 usage error, 3 key rejected, 4 too few credits
`;

/**
 * @typedef {{ id: string, status: string, model: string, credits: number, created_at: number,
 *   billing_status: string, failed_reason: string | null,
 *   data?: { results: string[], video_expires_at: string } }} Task
 * @typedef {{ id: string, duration: { min: number, max: number },
 *   prices: { resolution: string, credits_per_second: number }[] }} Model
 * @typedef {{ output?: string, [flag: string]: unknown }} Values
 * @typedef {[run: (values: Values, id: string) => Promise<void>, flags: string]} Command
 * @typedef {{ exit?: number, isUnknown?: boolean, json?: unknown }} ErrorInfo
 *   `isUnknown`: the request may have taken effect. `json`: the output with `--json`.
 * @typedef {(bytes: Buffer, type: string) => Promise<string>} ToUrl
 * @typedef {{ method?: string, body?: unknown, headers?: Record<string, string> }} RequestOptions
 */

const generation =
  'prompt= model= type= image=* video=* audio=* duration= resolution= ratio= seed= callback= ' +
  'no-sound watermark web-search last-frame';

/** `wait` takes no value, `seed=` one, `image=*` several. @type {Record<string, Command>} */
const commands = {
  create: [create, `${generation} wait output= idempotency-key=`],
  estimate: [estimate, generation],
  get: [get, 'wait output='],
  cancel: [async (_, id) => showAll(await request(`${pathOf(id)}/cancel`, { method: 'POST' })), ''],
  list: [list, 'status= model= created-after= created-before= limit= cursor='],
  models: [models, ''],
  credits: [async () => showAll(await request('/v1/credits')), ''],
};

class CliError extends Error {
  /** @param {string} message @param {ErrorInfo} [info] */
  constructor(message, info = {}) {
    super(message);
    this.info = info;
  }
}

/** @param {string} message */
const usageError = (message) => new CliError(`${message} See: ${self} help`, { exit: 2 });

/** Says how to resume after Ctrl-C or when the service becomes unreachable. */
let resumeHint = '';
let wantsJson = false;
let hasResponded = false;

/** Replaces the progress line, if there is one. @param {string} text */
const printStatus = (text) => void stderr.write(`${stderr.isTTY ? '\r\u001b[2K' : ''}${text}\n`);

/** @param {unknown} json @param {() => string} format the output without `--json` */
function show(json, format) {
  const text = wantsJson ? JSON.stringify(json, null, 2) : format();
  if (text !== '') stdout.write(`${text}\n`);
}

/** Aligned on a terminal, else with tabs. @param {unknown[][]} rows @param {string[]} [head] */
function table(rows, head) {
  if (!stdout.isTTY) return rows.map((row) => row.join('\t')).join('\n');
  const lines = [...(head ? [head] : []), ...rows].map((row) => row.map((cell) => `${cell ?? ''}`));
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((row) => row[at]?.length ?? 0)));
  const padded = lines.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)));
  const text = padded.map((row) => row.join('  ').trimEnd()).join('\n');
  return text.replace(/\b(completed|failed|queued|generating)\b/g, (status) => {
    const shade = { completed: 32, failed: 31 }[status] ?? 36;
    return env.NO_COLOR ? status : `\u001b[${shade}m${status}\u001b[0m`;
  });
}

/** Retries temporary failures. @param {string} path @param {RequestOptions} [options] */
async function request(path, options) {
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
async function requestOnce(path, { method = 'GET', body, headers = {} } = {}) {
  const authorization = `Bearer ${keyOf(env.VIDGEN_KEY)}`;
  const isFile = body instanceof Uint8Array;
  const type = body ? { 'content-type': 'application/json' } : {};
  try {
    const response = await fetch(serviceUrl + path, {
      method,
      headers: { authorization, ...type, ...headers },
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
      throw new CliError(`${summary} Is VIDGEN_URL right, and is the service running?`);
    }
    return { error: new CliError(summary, { isUnknown: true }), pauseSeconds: 0 };
  }
}

function keyOf(key = '') {
  if (/^[!-~]+$/.test(key.trim())) return key.trim();
  const problem = key.trim() === '' ? 'is not set' : 'has invalid characters';
  const advice = `Create a key at ${serviceUrl}/dashboard, then: export VIDGEN_KEY=vg_…`;
  throw new CliError(`VIDGEN_KEY ${problem}. ${advice}`, { exit: 3 });
}

/** @param {Response} response @param {{ error?: { message?: string } }} [json] */
function toCliError({ status, headers }, json) {
  const exit = { 401: 3, 402: 4, 403: 3 }[status] ?? 1;
  const hint = headers.has('location') ? `, moved to ${headers.get('location')}` : ', not in JSON';
  const message = `${serviceUrl} returned ${status}${hint}. Is VIDGEN_URL right?`;
  return new CliError(json?.error?.message ?? message, { exit, isUnknown: status >= 500, json });
}

/** @param {Values} values */
function buildRequest({ model = 'vidgen-2-5', callback, prompt, type, ...values }) {
  if (prompt === undefined) throw usageError('--prompt is missing.');
  if (!type && (values.image ?? values.video ?? values.audio)) {
    throw usageError('--image, --video, --audio need --type image-to-video or reference-to-video.');
  }
  const input = {
    prompt,
    generation_type: type,
    image_urls: values.image,
    video_urls: values.video,
    audio_urls: values.audio,
    duration: wholeNumber('duration', values.duration),
    resolution: values.resolution,
    aspect_ratio: values.ratio,
    generate_audio: values['no-sound'] ? false : undefined,
    watermark: values.watermark,
    web_search: values['web-search'],
    return_last_frame: values['last-frame'],
    seed: wholeNumber('seed', values.seed),
  };
  return { model, callback_url: callback, input };
}

/** Replaces local files by what `toUrl` returns. @param {Values} values @param {ToUrl} toUrl */
async function withFiles(values, toUrl) {
  const replaced = { ...values };
  for (const kind of ['image', 'video', 'audio']) {
    const list = /** @type {string[]} */ (values[kind] ?? []);
    const urls = list.map(async (text) => {
      if (/^(https?|data):/i.test(text)) return text;
      const bytes = await readFile(text).catch(() => {
        throw usageError(`--${kind} must be a URL or a file (got "${text}").`);
      });
      return await toUrl(bytes, `${kind}/*`);
    });
    if (list.length > 0) replaced[kind] = await Promise.all(urls);
  }
  return replaced;
}

/** @type {ToUrl} */
async function upload(body, type) {
  const options = { method: 'POST', body, headers: { 'content-type': type } };
  return (await request('/v1/files', options)).url;
}

/** @type {ToUrl} */
const toDataUri = async (bytes, type) => `data:${type};base64,${bytes.toString('base64')}`;

/** @param {string} flag @param {unknown} value */
function wholeNumber(flag, value) {
  if (value === undefined || /^-?\d{1,15}$/.test(`${value}`)) return value && Number(value);
  throw usageError(`--${flag} must be a whole number (got "${value}").`);
}

/** @param {Values} values */
async function create(values) {
  buildRequest(values);
  await checkFile(values.output);
  const body = buildRequest(await withFiles(values, upload));
  const key = `${values['idempotency-key'] ?? randomUUID()}`;
  resumeHint = `To retry without paying twice, add --idempotency-key ${key}`;
  const headers = { 'idempotency-key': key };
  const created = await request('/v1/videos/generations', { method: 'POST', body, headers });
  printStatus(`${created.taskId}: ${created.credits} credits reserved.`);
  if (values.wait || values.output) return await waitAndDownload(values, created.taskId);
  printStatus(`To wait for it: ${self} get ${created.taskId} --wait`);
  show(created, () => created.taskId);
}

/** @param {Values} values */
async function estimate(values) {
  // In the body, because the service stores nothing for an estimate.
  const options = { method: 'POST', body: buildRequest(await withFiles(values, toDataUri)) };
  showAll(await request('/v1/videos/generations/estimate', options));
}

/** @param {Values} values @param {string} id */
async function get(values, id) {
  if (!values.wait && !values.output) return showAll(await request(pathOf(id)));
  await checkFile(values.output);
  await waitAndDownload(values, id);
}

/** @param {string} id */
const pathOf = (id) => `/v1/tasks/${encodeURIComponent(id)}`;

/** @param {{ data?: object }} json */
function showAll(json) {
  const { data, ...fields } = json;
  show(json, () => table(Object.entries({ ...fields, ...data })));
}

/** @param {Values} values */
async function list({ json: _, ...values }) {
  const query = Object.entries(values).map(([name, value]) => [name.replace('-', '_'), `${value}`]);
  const json = await request(`/v1/tasks?${new URLSearchParams(query)}`);
  const rows = json.items.map((/** @type {Task} */ task) => [
    ...[task.id, task.status, task.model, task.credits, task.billing_status],
    ...[new Date(task.created_at * 1000).toISOString(), task.failed_reason],
  ]);
  const head = ['ID', 'STATUS', 'MODEL', 'CREDITS', 'BILLING', 'CREATED', 'REASON'];
  show(json, () => table(rows, head));
  if (json.next_cursor) printStatus(`More: --cursor ${json.next_cursor}`);
}

async function models() {
  const json = await request('/v1/models');
  const rows = json.items.map((/** @type {Model} */ { id, duration: { min, max }, prices }) => {
    const rates = prices.map((price) => `${price.resolution} ${price.credits_per_second}`);
    return [id, `${min}-${max}`, rates.join(', ')];
  });
  show(json, () => table(rows, ['MODEL', 'SECONDS', 'CREDITS PER SECOND']));
}

/** Called before the task is created and charged. @param {string} [file] */
async function checkFile(file) {
  const isFolder = (await stat(dirname(file ?? '.')).catch(() => null))?.isDirectory();
  if (!isFolder) throw usageError(`There is no folder for --output ${file}.`);
}

/** Waits, downloads, and prints the file or URL. @param {Values} values @param {string} id */
async function waitAndDownload({ output }, id) {
  const flag = output === undefined ? '--wait' : `-o ${quoted(output)}`;
  resumeHint = `To resume waiting: ${self} get ${id} ${flag}`;
  const task = await waitUntilFinal(id);
  const url = task.data?.results[0];
  if (output !== undefined && url !== undefined) await download(url, output);
  if (url !== undefined) return show(task, () => output ?? url);
  const refund = task.billing_status === 'refunded' ? 'were refunded' : 'are not refunded yet';
  const failed = `The task failed: ${task.failed_reason}. Its ${task.credits} credits ${refund}.`;
  const expired = `The video expired at ${task.data?.video_expires_at}.`;
  throw new CliError(task.data ? expired : failed, { json: task });
}

/** @param {string} id @returns {Promise<Task>} */
async function waitUntilFinal(id) {
  const startedAt = Date.now();
  /** @type {Task} */
  let task = await request(pathOf(id));
  const statusLine = () => `${task.status}, ${Math.round((Date.now() - startedAt) / 1000)} s`;
  const draw = () => stderr.write(`\r\u001b[2K${statusLine()}`);
  const timer = stderr.isTTY ? setInterval(draw, 1000).unref() : undefined;
  for (let lastStatus = ''; task.status === 'queued' || task.status === 'generating'; ) {
    if (task.status !== lastStatus && !timer) printStatus(task.status);
    lastStatus = task.status;
    const requestedAt = Date.now();
    task = await request(`${pathOf(id)}?wait=30`);
    // At most every 10 seconds (docs/spec.md 4.2), even when the service ends the wait early.
    const earlyMs = requestedAt + 10_000 - Date.now();
    if (task.status === lastStatus && earlyMs > 0) await sleep(earlyMs);
  }
  clearInterval(timer);
  printStatus(statusLine());
  return task;
}

/** @param {string} url @param {string} file */
async function download(url, file) {
  const part = `${file}.part`;
  try {
    const { ok, status, body } = await fetch(url);
    if (!ok || !body) throw new Error(`the response was ${status}`);
    const bytes = /** @type {import('node:stream/web').ReadableStream} */ (body);
    await pipeline(Readable.fromWeb(bytes), createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    const { message } = /** @type {Error} */ (error);
    throw new CliError(`The video could not be saved as ${file}: ${message}.`, { isUnknown: true });
  }
}

/** Suggests the most similar name. @param {string} wrong @param {string[]} names */
function nearest(wrong, names, dashes = '') {
  const off = (/** @type {string} */ name) =>
    [...new Set(name + wrong)].filter((one) => !name.includes(one) || !wrong.includes(one)).length;
  const part = names.find((name) => wrong.includes(name));
  const best = part ?? names.sort((one, other) => off(one) - off(other))[0] ?? '';
  return part || off(best) < 3 ? ` Did you mean ${dashes}${best}?` : '';
}

/** @param {string} command @param {string[]} rawArgs @returns {[values: Values, id: string]} */
function parseCommand(command, rawArgs) {
  const kinds = `${commands[command]?.[1]} json help`.trim().split(' ');
  const options = Object.fromEntries(
    kinds.map((kind) => {
      const [name = '', takes] = kind.split('=');
      /** @type {'boolean' | 'string'} */
      const type = takes === undefined ? 'boolean' : 'string';
      return [name, { type, multiple: takes === '*', ...(name === 'output' && { short: 'o' }) }];
    }),
  );
  // parseArgs rejects values with a leading dash, such as `--seed -1` or `--prompt "- a list"`.
  const isValue = (at = 0) =>
    /^-[^-a-z]/i.test(rawArgs[at] ?? '') && /^--[^=]+$/.test(rawArgs[at - 1] ?? '');
  const args = rawArgs.flatMap((arg, at) =>
    isValue(at) ? [] : isValue(at + 1) ? `${arg}=${rawArgs[at + 1]}` : arg,
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [id = ''] = /^(get|cancel)$/.test(command) ? positionals.splice(0, 1) : ['none'];
    if (id === '' && !values.help) throw new Error(`${command} needs a task ID.`);
    if (positionals.length === 0) return [values, id];
    throw new Error(`Unexpected "${positionals[0]}"; quote texts with spaces.`);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const [, unknown] = /Unknown option '-{1,2}([^'-][^']*)'/.exec(message) ?? [];
    if (unknown === undefined) throw usageError(message.replace(/\n/g, ' '));
    const advice = nearest(unknown, Object.keys(options), '--');
    throw usageError(`${command} has no --${unknown}.${advice}`);
  }
}

async function main() {
  const [command = 'help', ...args] = process.argv.slice(2);
  wantsJson = args.includes('--json');
  if (/^(help|--help|-h)$/.test(command)) return void stdout.write(help);
  const run = commands[command]?.[0];
  if (!run) throw usageError(`No command ${command}.${nearest(command, Object.keys(commands))}`);
  const [values, id] = parseCommand(command, args);
  if (values.help) return void stdout.write(help);
  await run(values, id);
}

// Node 18 prints a warning that fetch is experimental.
process.removeAllListeners('warning');
stdout.on('error', () => process.exit());
process.on('SIGINT', () => {
  printStatus(`\nStopped. ${resumeHint}`);
  process.exit(130);
});
main().catch((error) => {
  if (!(error instanceof CliError)) throw error;
  const { message, info } = error;
  if (wantsJson) show(info.json ?? { error: { code: 'command_line', message } }, String);
  printStatus(`vidgen: ${message}`);
  if (info.isUnknown && resumeHint) printStatus(resumeHint);
  process.exitCode = info.exit ?? 1;
});
