/**
 * Runs the setup, then one program as the only child, for `npm start`, `npm test` and others. The
 * child is stopped by signals, Ctrl-C, and the death of npm or of this process.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { eraseEnvironment, programEnvironment, programOptions } from './environment.mjs';
import { root, SetupError, setUp } from './setup.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {NodeJS.Signals} Signal */

const help = `Usage: npm start -- [--role all|api|worker] [--processes 1..8]

Starts vidgen, with a database of its own unless VIDGEN_DATABASE_URL names one. The first start
prints a one-time link, which makes you the administrator, and a request to try.

  HOST, PORT                where it listens: 127.0.0.1 and 8787
  VIDGEN_HOME               database, results and uploads: .vidgen in this folder
  VIDGEN_PUBLIC_URL         the base of every URL that vidgen returns
  VIDGEN_DATABASE_URL       postgres://… instead of a database of its own
  VIDGEN_STORAGE_URL        s3://bucket/prefix for results, instead of the home folder
  VIDGEN_ADMIN_TOKEN        bearer token of /admin: 32 characters or more

.env.example lists every setting; vidgen.config.ts has providers, models, routes and prices.
npm run doctor checks the installation. Once it runs: http://127.0.0.1:8787/guides
`;

const [purpose, program, ...args] = process.argv.slice(2);
const parent = process.ppid;
const parentPollMs = 500;

/** @type {ChildProcess | undefined} */
let child;
const stopped = new AbortController();

// Ctrl-C also reaches the child directly, and npm forwards it once more; the child counts it once.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => stop(signal));
}
setInterval(() => {
  if (process.ppid !== parent) stop('SIGTERM');
}, parentPollMs).unref();

try {
  if ((purpose !== 'start' && purpose !== 'test' && purpose !== 'dev') || !program) {
    throw new SetupError('Usage: node setup/run.mjs start|test|dev <program> [arguments]');
  }
  if (program === 'server/main.ts' && args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(help);
    process.exit(0);
  }
  const node = await setUp(purpose, stopped.signal);
  process.exit(await run(node, [...programOptions(purpose), join(root, program), ...args]));
} catch (error) {
  if (stopped.signal.aborted) process.exit(128 + constants.signals[reason()]);
  process.stderr.write(`${error instanceof SetupError ? error.message : error}\n`);
  process.exit(1);
}

/** @param {Signal} signal */
function stop(signal) {
  stopped.abort(signal);
  // A message instead of a signal also works on Windows.
  if (child?.connected) child.send({ stop: signal }, () => {});
}

/** @returns {Signal} */
function reason() {
  return stopped.signal.reason;
}

/**
 * When this process is killed, the channel closes, and the child stops on 'disconnect'.
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function run(node, args) {
  stopped.signal.throwIfAborted();
  const started = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: programEnvironment(process.env),
  });
  child = started;
  if (purpose === 'start') eraseEnvironment();
  return new Promise((resolve, reject) => {
    started.on('error', reject);
    started.on('exit', (code, signal) => {
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
