/**
 * A temporary copy of the dashboard's sources with the packages of its build. The service does not
 * need them: they are deleted with the copy.
 */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm, root } from './command.mjs';
import { step } from './progress.mjs';

/** It is in the project, so that npm's settings for it apply, and not on another disk. */
const copy = join(root, '.dashboard-build');

/** `du` of what npm installed, on Linux; elsewhere it is about the same. */
const buildMegabytes = 180;

const npmArgs = ['ci', '--workspace=@vidgen/dashboard', '--include=dev'];

/**
 * Calls `work` with a folder that has `dashboard/`, `contract/` and `node_modules/`.
 * @param {AbortSignal} signal
 * @param {(folder: string) => Promise<void>} work
 */
export async function withDashboardCopy(signal, work) {
  // A killed setup may have left one.
  rmSync(copy, { recursive: true, force: true });
  try {
    for (const path of copiedPaths()) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path), { recursive: true, filter: isSource });
    }
    const title = `Installing build tools, ${buildMegabytes} MB, deleted after the build`;
    await step(title, signal, () => npm(copy, npmArgs, signal));
    await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** npm compares the lockfile with the manifests of all workspaces. */
function copiedPaths() {
  /** @type {{ workspaces: string[] }} */
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    ...['dashboard', 'contract', 'package.json', 'package-lock.json', '.npmrc', 'tsconfig.json'],
    ...workspaces.map((folder) => `${folder}/package.json`),
  ];
}

/** @param {string} path */
function isSource(path) {
  return !/[\\/](node_modules|dist|\.dist-\w+)$/.test(path);
}
