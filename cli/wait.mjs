/** Waits until a task is final, and downloads its video. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, printStatus, quoted, self, show, state, usageError } from './output.mjs';
import { pathOf, request } from './service.mjs';

/** @import { Values } from './arguments.mjs' */

/**
 * @typedef {{ id: string, status: string, model: string, credits: number, created_at: number,
 *   billing_status: string, failed_reason: string | null,
 *   data?: { results: string[], video_expires_at: string } }} Task
 */

/** Called before the task is created and charged. @param {string} [file] */
export async function checkFile(file) {
  const isFolder = (await stat(dirname(file ?? '.')).catch(() => null))?.isDirectory();
  if (!isFolder) throw usageError(`There is no folder for --output ${file}.`);
}

/** Waits, downloads, and prints the file or URL. @param {Values} values @param {string} id */
export async function waitAndDownload({ output }, id) {
  const flag = output === undefined ? '--wait' : `-o ${quoted(output)}`;
  state.resumeHint = `To resume waiting: ${self} get ${id} ${flag}`;
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
  const draw = () => process.stderr.write(`\r\u001b[2K${statusLine()}`);
  const timer = process.stderr.isTTY ? setInterval(draw, 1000).unref() : undefined;
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
