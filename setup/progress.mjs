/**
 * Shows what a slow step of the setup does: a line that is redrawn on a terminal, and a line every
 * ten seconds elsewhere, so that a log stays readable.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectedPackages } from './missing-packages.mjs';

const redrawMs = 500;
const lineMs = 10_000;
const barCells = 20;

/**
 * @typedef {object} StepOptions
 * @property {AbortSignal} signal
 * @property {() => string} [progress] what is done so far, such as `120 of 268 packages`
 */

/**
 * Prints the title of a slow step, its progress, then its duration.
 * @param {string} title
 * @param {StepOptions} options
 * @param {() => Promise<void>} work
 */
export async function step(title, { signal, progress = () => '' }, work) {
  const { stderr } = process;
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const state = () => [progress(), elapsed()].filter((part) => part !== '').join(', ');
  stderr.write(`${title} … `);
  const timer = stderr.isTTY
    ? setInterval(() => stderr.write(`\r\u001b[2K${title} … ${state()}`), redrawMs)
    : setInterval(() => stderr.write(`${state()} … `), lineMs);
  const end = (/** @type {string} */ result) =>
    stderr.write(stderr.isTTY ? `\r\u001b[2K${title} … ${result}\n` : `${result}\n`);
  try {
    await work();
  } catch (error) {
    end(signal.aborted ? 'stopped' : 'failed');
    throw error;
  } finally {
    clearInterval(timer);
  }
  end(elapsed());
}

/**
 * Returns how many of the expected packages are installed in the folder, as text with a bar.
 * @param {string} folder
 * @param {{ includeDev: boolean }} options
 */
export function packageProgress(folder, { includeDev }) {
  const paths = expectedPackages(folder, { includeDev });
  return () => {
    const done = paths.filter((path) => existsSync(join(folder, path, 'package.json'))).length;
    const filled = Math.round((done / Math.max(1, paths.length)) * barCells);
    const bar = '█'.repeat(filled) + '░'.repeat(barCells - filled);
    return `${bar} ${done} of ${paths.length} packages`;
  };
}
