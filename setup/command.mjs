/**
 * Runs npm and other setup commands. Their output is shown only when they fail, the user's npm
 * settings do not affect the result, and the service's secrets are not in their environment.
 */
import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolEnvironment } from './tool-environment.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** An error that is printed without a stack trace. */
export class SetupError extends Error {}

/** Settings that would change what is installed, or where. */
const ignoredNpmSettings = new Set(
  [
    ...['omit', 'include', 'only', 'also', 'dev', 'production', 'optional', 'dry_run', 'global'],
    ...['workspace', 'workspaces', 'include_workspace_root', 'prefix', 'local_prefix', 'location'],
  ].map((name) => `npm_config_${name}`),
);

const flags = [
  // No package needs its install script, and some scripts download from outside the registry.
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
  // The npm that started this process. Other package managers set the variable too.
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
  const keptVariables = Object.entries(toolEnvironment(process.env)).filter(
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
    // After an abort, 'close' follows when the process has ended.
    child.on('error', (error) => options.signal.aborted || reject(error));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new SetupError(output.trim() || `${program} ended with ${code ?? signal}`));
    });
  });
}
