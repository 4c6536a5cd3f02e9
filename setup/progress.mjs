/**
 * Shows what a slow step of the setup does: a line that is redrawn on a terminal, and a line every
 * ten seconds elsewhere, so that a log stays readable.
 */

const redrawMs = 500;
const lineMs = 10_000;

/**
 * Prints the title of a slow step, the time since it began, then its duration.
 * @param {string} title
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} work
 */
export async function step(title, signal, work) {
  const { stderr } = process;
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  stderr.write(`${title} … `);
  const timer = stderr.isTTY
    ? setInterval(() => stderr.write(`\r\u001b[2K${title} … ${elapsed()}`), redrawMs)
    : setInterval(() => stderr.write(`${elapsed()} … `), lineMs);
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
