/**
 * What must be there before the first line of TypeScript runs: the right Node, the locked packages,
 * the dashboard. Plain JavaScript for any Node from 18, without a package; leaves at once when all
 * is fresh.
 */
import { alone } from './alone.mjs';
import { ensuredDashboard } from './dashboard.mjs';
import { ensuredNode } from './node.mjs';
import { ensuredPackages } from './packages.mjs';

export { root, SetupError } from './command.mjs';

/**
 * A part of the set-up: whether it is as it should be, and how to make it so.
 * @typedef {{ isFresh(): boolean, make(signal: AbortSignal): Promise<void> }} Part
 */

/** @typedef {'start' | 'test'} Purpose tests need their tools on top of what a start needs. */

/**
 * Answers with the Node to run under.
 * @param {Purpose} purpose
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function setUp(purpose, signal) {
  const node = ensuredNode();
  const parts = [node, ensuredPackages(purpose), ensuredDashboard(node)];
  // Looked at without the lock first: a finished installation also runs where it cannot write.
  if (!parts.every((part) => part.isFresh())) {
    await alone(signal, async () => {
      for (const part of parts) if (!part.isFresh()) await part.make(signal);
    });
  }
  return node.binary;
}
