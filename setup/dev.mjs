/**
 * `npm run dev`: the dashboard with hot reload, and the service, restarted when one of its sources
 * changes. Vite runs in this process and the service is its only child: both stop on Ctrl-C, when
 * `run.mjs` asks for it, and when this process or its parent is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './command.mjs';
import { toolEnvironment } from './tool-environment.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const watchedFolders = ['contract', 'renderer', 'server'];
const watchedFiles = /(?<!\.test)\.(ts|sql|json)$/;
/** A save or a checkout can write several files; they cause one restart. */
const restartDelayMs = 100;
const readyPollMs = 100;

const host = process.env.HOST || '127.0.0.1';
const urlHost = host.includes(':') ? `[${host}]` : host;
const serviceUrl = `http://${urlHost}:${process.env.PORT || 8787}`;

/** @type {ChildProcess | undefined} */
let service;
/** @type {'starting' | 'ready' | 'stopping'} */
let serviceState = 'starting';
/** @type {NodeJS.Timeout | undefined} */
let restartTimer;
let isStopping = false;

// The service gets the whole environment; Vite and its plugins, in this process, no secret of it.
const serviceEnvironment = { ...process.env };
for (const name of Object.keys(process.env)) {
  if (!(name in toolEnvironment(process.env))) delete process.env[name];
}
const { createServer } = await import('vite');

const vite = await createServer({
  root: join(root, 'dashboard'),
  base: '/dashboard/',
  logLevel: 'warn',
  server: {
    host,
    // Everything but the dashboard's own files and `/`, which Vite redirects to the dashboard.
    proxy: { '^/(?!dashboard/|$)': { target: serviceUrl, bypass: prepareRequest } },
  },
});
await vite.listen();
const dashboardOrigin = `http://${urlHost}:${vite.config.server.port}`;
process.stdout.write(`  dashboard  ${dashboardOrigin}/dashboard  (hot reload)\n`);
process.stdout.write(`  service    ${serviceUrl}  (restarts when a source changes)\n`);

// Vite's own handler exits without waiting for the service.
process.removeAllListeners('SIGTERM');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
process.on('message', stop);
process.on('disconnect', stop);

for (const folder of watchedFolders) {
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (!watchedFiles.test(file ?? '')) return;
    clearTimeout(restartTimer);
    restartTimer = setTimeout(restartService, restartDelayMs);
  });
}
startService();

/**
 * Holds requests while the service starts, so that an open page survives a restart. Returns another
 * URL for `/dashboard`, which Vite serves only with a slash at the end.
 * @param {import('node:http').IncomingMessage} request
 */
async function prepareRequest({ url = '' }) {
  if (/^\/dashboard(\?|$)/.test(url)) return url.replace('/dashboard', '/dashboard/');
  while (service && serviceState !== 'ready') {
    const response = await fetch(`${serviceUrl}/healthz`).catch(() => null);
    if (response && serviceState === 'starting') serviceState = 'ready';
    else await wait(readyPollMs);
  }
}

function startService() {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'server/main.ts')],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // Links that the service prints open the dashboard served by Vite.
      env: { VIDGEN_PUBLIC_URL: dashboardOrigin, ...serviceEnvironment },
    },
  );
  service = started;
  serviceState = 'starting';
  started.on('exit', (code, signal) => {
    service = undefined;
    if (code === 0) return;
    process.stdout.write(`service exited with ${code ?? signal}; waiting for a change\n`);
  });
}

async function restartService() {
  await stopService();
  if (!isStopping && !service) startService();
}

/** Resolves when the service has finished its requests and exited. */
async function stopService() {
  if (!service) return;
  serviceState = 'stopping';
  const exited = once(service, 'exit');
  if (service.connected) service.send({ stop: 'SIGTERM' }, () => {});
  await exited;
}

async function stop() {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([vite.close(), stopService()]);
  process.exit(0);
}
