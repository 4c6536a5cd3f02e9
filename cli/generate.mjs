/** `create` and `estimate`: from flags to a request. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parsePairs } from './arguments.mjs';
import { printStatus, quoted, self, show, showAll, state, usageError } from './output.mjs';
import { request } from './service.mjs';
import { checkFile, waitAndDownload } from './wait.mjs';

/** @import { Values } from './arguments.mjs' */
/** @typedef {(bytes: Buffer, type: string) => Promise<string>} ToUrl */

/** The flags of both commands. */
export const generationFlags =
  'prompt= model= type= image=* video=* audio=* duration= resolution= ratio= seed= callback= ' +
  'no-sound watermark web-search last-frame metadata=* option=*';

/** @param {Values} values */
function buildRequest({ model = 'vidgen-2-5', callback, prompt, type, metadata, ...values }) {
  if (prompt === undefined) throw usageError('--prompt is required.');
  if (!type && (values.image ?? values.video ?? values.audio)) {
    throw usageError(
      '--image, --video and --audio require --type image-to-video or reference-to-video.',
    );
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
    options: optionsOf(parsePairs(values.option, '--option')),
  };
  return { model, callback_url: callback, input, metadata: parsePairs(metadata, '--metadata') };
}

/** Numbers, true and false are no text. @param {Record<string, string> | undefined} pairs */
const optionsOf = (pairs) =>
  pairs &&
  Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => [
      name,
      /^(true|false|-?(0|[1-9]\d{0,14})(\.\d{1,15})?)$/.test(value) ? JSON.parse(value) : value,
    ]),
  );

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
export async function create(values) {
  buildRequest(values);
  await checkFile(values.output);
  const body = buildRequest(await withFiles(values, upload));
  const key = `${values['idempotency-key'] ?? randomUUID()}`;
  state.resumeHint = `To retry safely, run the same command with --idempotency-key ${quoted(key)}`;
  const headers = { 'idempotency-key': key };
  const created = await request('/v1/videos/generations', { method: 'POST', body, headers });
  printStatus(`${created.taskId}: ${created.credits} credits reserved.`);
  if (values.wait || values.output) return await waitAndDownload(values, created.taskId);
  printStatus(`Wait for it with: ${self} get ${quoted(created.taskId)} --wait`);
  show(created, () => created.taskId);
}

/** @param {Values} values */
export async function estimate(values) {
  // Files go into the body, because the service stores nothing for an estimate.
  const options = { method: 'POST', body: buildRequest(await withFiles(values, toDataUri)) };
  showAll(await request('/v1/videos/generations/estimate', options));
}
