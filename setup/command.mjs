/**
 * Runs npm and the other commands of the set-up: silent while they work, all they said when they
 * fail, and the same result whatever the user's own npm settings are.
 */
import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Trouble whose message is all that the person at the keyboard needs. */
export class SetupError extends Error {}

/** Settings that would change what is installed, or where. */
const ignoredNpmSettings = new Set(
  [
    ...['omit', 'include', 'only', 'also', 'dev', 'production', 'optional', 'dry_run', 'global'],
    ...['workspace', 'workspaces', 'include_workspace_root', 'prefix', 'local_prefix', 'location'],
  ].map((name) => `npm_config_${name}`),
);

const flags = [
  // No package of ours needs an install script, and some reach outside the registry.
  '--ignore-scripts',
  '--include=optional',
  '--package-lock',
  '--no-legacy-peer-deps',
  '--no-strict-peer-deps',
  '--install-strategy=hoisted',
  '--no-install-links',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
];

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {AbortSignal} signal
 */
export async function npm(folder, args, signal) {
  const allArgs = [...args, ...flags];
  const npmPath = process.env.npm_execpath ?? '';
  // The npm that started us; another package manager has its own name here.
  if (basename(npmPath) === 'npm-cli.js') {
    await command(process.execPath, [npmPath, ...allArgs], { cwd: folder, signal });
  } else {
    const onWindows = process.platform === 'win32';
    await command(onWindows ? 'npm.cmd' : 'npm', allArgs, {
      cwd: folder,
      signal,
      shell: onWindows,
    });
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, signal: AbortSignal, shell?: boolean }} options
 * @returns {Promise<void>}
 */
export function command(program, args, options) {
  options.signal.throwIfAborted();
  const keptVariables = Object.entries(process.env).filter(
    ([name]) => !ignoredNpmSettings.has(name.toLowerCase()),
  );
  const env = { ...Object.fromEntries(keptVariables), NODE_ENV: '' };
  const child = spawn(program, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    // Stopped by the signal, it is over when it has ended, which 'close' tells.
    child.on('error', (error) => options.signal.aborted || reject(error));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new SetupError(output.trim() || `${program} ended with ${code ?? signal}`));
    });
  });
}

/**
 * Says what takes time, and how long it took.
 * @param {string} title
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} work
 */
export async function step(title, signal, work) {
  const startedAt = Date.now();
  process.stderr.write(`${title} … `);
  try {
    await work();
  } catch (error) {
    process.stderr.write(signal.aborted ? 'stopped\n' : 'failed\n');
    throw error;
  }
  process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`);
}
