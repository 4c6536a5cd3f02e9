/**
 * Chooses the Node to run: the machine's own if it is a recent 24, otherwise the one pinned in
 * `runtime/`, installed by npm with its checksum: a 24, or a 26 where npm has no recent 24.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, hasStamp, removeStamp, writeStamp } from './build-stamp.mjs';
import { npm, root, SetupError } from './command.mjs';
import { missingPackages } from './missing-packages.mjs';
import { step } from './progress.mjs';

/** @typedef {import('./setup.mjs').SetupStep} SetupStep */

const major = 24;
/** The first version with stable type stripping. */
const oldestMinor = 12;

/** `du` of what npm installed, on Linux; elsewhere it is about the same. */
const installedMegabytes = 190;

const runtime = join(root, 'runtime');
const modules = join(runtime, 'node_modules');

/** @returns {SetupStep & { readonly binary: string }} */
export function nodeStep() {
  const [ownMajor = 0] = process.versions.node.split('.').map(Number);
  if (ownMajor === major && isNewEnough(process.versions.node)) {
    return { binary: process.execPath, isFresh: () => true, run: async () => {} };
  }
  const stamp = fingerprint(
    [join(runtime, 'package.json'), join(runtime, 'package-lock.json')],
    [process.platform, process.arch],
  );
  return {
    get binary() {
      return pinnedBinary();
    },
    isFresh: () => hasStamp(modules, stamp),
    async run(signal) {
      const own = process.versions.node;
      const size = `${installedMegabytes} MB on disk`;
      const title = `Installing Node ${major}, ${size} (this machine has ${own})`;
      await step(title, signal, () => npm(runtime, ['ci'], signal));
      removeStamp(modules);
      verify(pinnedBinary());
      writeStamp(modules, stamp);
    },
  };
}

function pinnedBinary() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const found = ['node', 'node-bin']
    .map((name) => join(modules, `${name}-${platform}-${process.arch}`, 'bin', program))
    .find((path) => existsSync(path));
  if (found) return found;
  const [missing] = missingPackages(runtime, { includeDev: false });
  throw new SetupError(
    missing
      ? `npm could not fetch ${missing}. Start again when it reaches its registry. Or: ${advice}`
      : `npm has no Node ${major} for ${process.platform} ${process.arch}. ${advice}`,
  );
}

/** @param {string} binary */
function verify(binary) {
  const { status, error, stdout, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  if (status === 0 && isNewEnough(stdout.trim().replace(/^v/, ''))) return;
  const reason = error?.message ?? (status === 0 ? `it is ${stdout.trim()}` : stderr.trim());
  throw new SetupError(`The Node from npm does not run on this machine (${reason}). ${advice}`);
}

/** @param {string} version */
function isNewEnough(version) {
  const [versionMajor = 0, minor = 0] = version.split('.').map(Number);
  return versionMajor > major || (versionMajor === major && minor >= oldestMinor);
}

const advice = `Install Node ${major} (${major}.${oldestMinor} or newer) and start again.`;
