/**
 * Builds the dashboard when its sources, the contract or a package have changed. The build is
 * swapped in as a whole, so that a running service never reads a partial one.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, hasStamp, writeStamp } from './build-stamp.mjs';
import { command, root } from './command.mjs';
import { withDashboardCopy } from './dashboard-copy.mjs';
import { step } from './progress.mjs';

/** @typedef {import('./setup.mjs').SetupStep} SetupStep */

const source = join(root, 'dashboard');
const built = join(source, 'dist');
const newBuild = join(source, '.dist-new');
const oldBuild = join(source, '.dist-old');
const vite = 'node_modules/vite/bin/vite.js';

/**
 * @param {{ readonly binary: string }} node the Node to build with, installed by an earlier step
 * @returns {SetupStep}
 */
export function dashboardStep(node) {
  return {
    isFresh: () => hasStamp(built, stamp()),
    async run(signal) {
      const buildStamp = stamp();
      await build(node.binary, signal);
      writeStamp(newBuild, buildStamp);
      rmSync(oldBuild, { recursive: true, force: true });
      try {
        renameSync(built, oldBuild);
      } catch {
        // There was no build.
      }
      renameSync(newBuild, built);
      rmSync(oldBuild, { recursive: true, force: true });
    },
  };
}

/**
 * @param {string} binary
 * @param {AbortSignal} signal
 */
async function build(binary, signal) {
  const args = ['build', '--outDir', newBuild, '--emptyOutDir', '--logLevel', 'warn'];
  const buildIn = (/** @type {string} */ folder) =>
    step('Building the dashboard', signal, () =>
      command(binary, [join(folder, vite), ...args], { cwd: join(folder, 'dashboard'), signal }),
    );
  // `npm start` installs no packages that only the build needs.
  if (existsSync(join(root, vite))) await buildIn(root);
  else await withDashboardCopy(signal, buildIn);
}

function stamp() {
  const files = [
    ...filesUnder(source),
    ...filesUnder(join(root, 'contract')),
    join(root, 'package-lock.json'),
  ];
  return fingerprint(files, []);
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules' && !name.startsWith('.'))
    .filter(({ name }) => !name.endsWith('.test.ts'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    });
}
