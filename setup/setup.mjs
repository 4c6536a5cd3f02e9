/**
 * Prepares what TypeScript needs to run: the right Node, the locked packages, the dashboard. Plain
 * JavaScript for any Node from 18 and without packages. Returns at once when everything is fresh.
 */
import { dashboardStep } from './dashboard.mjs';
import { nodeStep } from './node.mjs';
import { packagesStep } from './packages.mjs';
import { withSetupLock } from './setup-lock.mjs';

export { root, SetupError } from './command.mjs';

/**
 * One part of the setup: whether it is up to date, and how to bring it up to date.
 * @typedef {{ isFresh(): boolean, run(signal: AbortSignal): Promise<void> }} SetupStep
 */

/**
 * `start` installs what the service needs, the others also the packages for development. `dev`
 * builds no dashboard, since Vite serves its sources.
 * @typedef {'start' | 'test' | 'dev'} Purpose
 */

/**
 * Returns the path of the Node binary to run under.
 * @param {Purpose} purpose
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function setUp(purpose, signal) {
  const node = nodeStep();
  const downloads = [node, packagesStep({ includeDev: purpose !== 'start' })];
  const steps = purpose === 'dev' ? downloads : [...downloads, dashboardStep(node)];
  // Checked without the lock first, so that a complete installation also runs on a read-only disk.
  if (!steps.every((step) => step.isFresh())) {
    if (!downloads.every((step) => step.isFresh())) {
      process.stderr.write('Setting up vidgen. This downloads a few hundred megabytes, once.\n');
    }
    await withSetupLock(signal, async () => {
      for (const step of steps) if (!step.isFresh()) await step.run(signal);
    });
  }
  return node.binary;
}
