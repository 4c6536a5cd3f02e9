/**
 * What must be there before the first line of TypeScript runs: the right Node, the locked packages,
 * the dashboard. Plain JavaScript for any Node from 18, without a package; leaves at once when all
 * is fresh.
 */

import { dashboardStep } from './dashboard.mjs';
import { nodeStep } from './node.mjs';
import { packagesStep } from './packages.mjs';
import { withSetupLock } from './setup-lock.mjs';

export { root, SetupError } from './command.mjs';

/**
 * A part of the set-up: whether it is as it should be, and how to make it so.
 * @typedef {{ isFresh(): boolean, run(signal: AbortSignal): Promise<void> }} SetupStep
 */

/** @typedef {'start' | 'test'} Purpose tests need their tools on top of what a start needs. */

/**
 * Answers with the Node to run under.
 * @param {Purpose} purpose
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function setUp(purpose, signal) {
  const node = nodeStep();
  const steps = [node, packagesStep(purpose), dashboardStep(node)];
  // Looked at without the lock first: a finished installation also runs where it cannot write.
  if (!steps.every((step) => step.isFresh())) {
    await withSetupLock(signal, async () => {
      for (const step of steps) if (!step.isFresh()) await step.run(signal);
    });
  }
  return node.binary;
}
