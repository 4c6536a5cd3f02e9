/** Waits until a task is final, and downloads its video. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CliError,
  printStatus,
  quoted,
  self,
  show,
  state,
  usageError,
  withoutControls,
} from './output.mjs';
import { request, taskPath } from './service.mjs';

/** @import { Values } from './arguments.mjs' */

/**
 * @typedef {{ id: string, status: string, model: string, credits: number, created_at: number,
 *   billing_status: string, failed_reason: string | null, metadata?: Record<string, string>,
 *   data?: { results: string[], video_expires_at: string } }} Task
 */

/** Called before the task is created and charged. @param {string} [file] */
export async function checkFile(file) {
  const isFolder = (await stat(dirname(file ?? '.')).catch(() => null))?.isDirectory();
  if (!isFolder) throw usageError(`The folder for --output ${file} does not exist.`);
}

/** Waits, downloads, and prints the file or URL. @param {Values} values @param {string} id */
export async function waitAndDownload({ output }, id) {
  const flag = output === undefined ? '--wait' : `-o ${quoted(output)}`;
  state.resumeHint = `Resume with: ${self} get ${quoted(id)} ${flag}`;
  const task = await waitUntilFinal(id);
  const url = task.data?.results[0];
  if (output !== undefined && url !== undefined) await download(url, output);
  if (url !== undefined) return show(task, () => output ?? url);
  const refund =
    task.billing_status === 'refunded' ? 'were refunded' : 'have not been refunded yet';
  const failed = `The task failed: ${task.failed_reason}. Its ${task.credits} credits ${refund}.`;
  const expired = `The video expired at ${task.data?.video_expires_at}.`;
  throw new CliError(task.data ? expired : failed, { json: task });
}

/** @param {string} id @returns {Promise<Task>} */
async function waitUntilFinal(id) {
  const startedAt = Date.now();
  /** @type {Task} */
  let task = await request(taskPath(id));
  const elapsed = () => Math.round((Date.now() - startedAt) / 1000);
  const draw = () => {
    const { progress } = state;
    const line = progressLine({ status: task.status, seconds: elapsed(), progress });
    process.stderr.write(`\r\u001b[2K${withoutControls(line)}`);
  };
  const timer = process.stderr.isTTY ? setInterval(draw, 1000).unref() : undefined;
  for (let lastStatus = ''; task.status === 'queued' || task.status === 'generating'; ) {
    if (task.status !== lastStatus && !timer) printStatus(task.status);
    lastStatus = task.status;
    const requestedAt = Date.now();
    task = await request(`${taskPath(id)}?wait=${timer ? 10 : 30}`);
    // At most every 10 seconds (docs/spec.md 4.2), even when the service ends the wait early.
    const earlyMs = requestedAt + 10_000 - Date.now();
    if (task.status === lastStatus && earlyMs > 0) await sleep(earlyMs);
  }
  clearInterval(timer);
  printStatus(`${task.status}, ${elapsed()} s`);
  return task;
}

const barCells = 24;
const blockCells = 4;

/**
 * A bar as long as the provider reports, or a block that moves every second where it does not.
 * @param {{ status: string, seconds: number, progress: number }} task `progress` is 0 to 1, or NaN
 */
export function progressLine({ status, seconds, progress }) {
  const isKnown = status === 'generating' && progress >= 0 && progress <= 1;
  const start = isKnown ? 0 : seconds % (barCells - blockCells + 1);
  const length = isKnown ? Math.round(progress * barCells) : blockCells;
  const cell = (/** @type {number} */ at) => (at >= start && at < start + length ? '█' : '░');
  const bar = Array.from({ length: barCells }, (_, at) => cell(at)).join('');
  const percent = isKnown ? ` ${Math.floor(progress * 100)}%` : '';
  return `${status.padEnd(10)} ${bar}${percent}  ${seconds} s`;
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
    throw new CliError(`Could not save the video as ${file}: ${message}.`, { isUnknown: true });
  }
}
