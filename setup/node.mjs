/**
 * The Node that runs everything: the machine's own where it is a 24 that runs TypeScript, otherwise
 * the one that `runtime/` pins, which comes through npm with its checksum: a 24 too, or a 26 where
 * npm has no 24 that is new enough.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, SetupError, step } from './command.mjs';
import { leftOut } from './left-out.mjs';
import { carries, fingerprint, putStamp, removeStamp } from './stamp.mjs';

/** @typedef {import('./setup.mjs').Part} Part */

const major = 24;
/** The first whose type stripping is no longer an experiment. */
const oldestMinor = 12;

const runtime = join(root, 'runtime');
const modules = join(runtime, 'node_modules');

/** @returns {Part & { readonly binary: string }} */
export function ensuredNode() {
  const [ownMajor = 0] = process.versions.node.split('.').map(Number);
  if (ownMajor === major && isNewEnough(process.versions.node)) {
    return { binary: process.execPath, isFresh: () => true, make: async () => {} };
  }
  const stamp = fingerprint(
    [join(runtime, 'package.json'), join(runtime, 'package-lock.json')],
    [process.platform, process.arch],
  );
  return {
    get binary() {
      return pinnedBinary();
    },
    isFresh: () => carries(modules, stamp),
    async make(signal) {
      const title = `Installing a Node to run it (this machine has ${process.versions.node})`;
      await step(title, signal, () => npm(runtime, ['ci'], signal));
      removeStamp(modules);
      verify(pinnedBinary());
      putStamp(modules, stamp);
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
  const [missing] = leftOut(runtime, { tools: false });
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
  const why = error?.message ?? (status === 0 ? `it is ${stdout.trim()}` : stderr.trim());
  throw new SetupError(`The Node from npm does not do on this machine (${why}). ${advice}`);
}

/** @param {string} version */
function isNewEnough(version) {
  const [at = 0, minor = 0] = version.split('.').map(Number);
  return at > major || (at === major && minor >= oldestMinor);
}

const advice = `Install Node ${major} (${major}.${oldestMinor} or newer) and start again.`;
