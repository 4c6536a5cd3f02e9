/** `worker`: offers the engine of this machine to the service, without an open port. */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, printStatus, usageError } from './output.mjs';
import { serviceUrl } from './service.mjs';
import { enginePaths, Tunnel } from './tunnel.mjs';

/** @import { Values } from './arguments.mjs' */
/** @import { TunnelOptions } from './tunnel.mjs' */

const checkPaths = { 'openai-videos': '/v1/videos?limit=1', comfyui: '/system_stats' };

/** @param {Values} values */
export async function worker(values) {
  const given = /** @type {Record<string, string> & { url?: string[] }} */ (values);
  const { name = '', kind = '', engine = '', slots = '1', url = [serviceUrl] } = given;
  const problem = [
    [/^[a-z][a-z0-9-]{0,31}$/.test(name), '--name must be that of a GPU box of the dashboard'],
    [Object.hasOwn(enginePaths, kind), '--kind must be comfyui or openai-videos'],
    [/^http:\/\/[^/?#]+\/?$/.test(engine), '--engine must be a URL such as http://127.0.0.1:8188'],
    [/^([1-9]|[1-5]\d|6[0-4])$/.test(slots), '--slots must be 1 to 64'],
    [url.every((one) => /^https?:\/\/./.test(one)), '--url must be the URL of the service'],
  ].find(([isValid]) => !isValid);
  if (problem) throw usageError(`${problem[1]}.`);
  /** @type {TunnelOptions} */
  const options = {
    name,
    engine: new URL(engine),
    slots: Number(slots),
    kind: /** @type {TunnelOptions['kind']} */ (kind),
    urls: url.map((one) => one.replace(/\/{1,9}$/, '')),
    token: process.env.VIDGEN_WORKER_TOKEN || (await askForToken()),
  };
  printStatus(`${name}: waiting for ${engine} (${kind}).`);
  await waitForEngine(options);
  printStatus(`${name}: the engine responds. Connecting to ${url.join(', ')}.`);
  const tunnel = new Tunnel(options);
  process.removeAllListeners('SIGINT');
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    printStatus(`${name}: no new tasks; ends a minute after the last one. Again: ends at once.`);
    void tunnel.drain().then(() => process.exit(0));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  throw await tunnel.failed;
}

/** @returns {Promise<string>} */
async function askForToken() {
  if (!process.stdin.isTTY) throw new CliError('VIDGEN_WORKER_TOKEN is not set.', { exit: 3 });
  printStatus('Token of the GPU box (not shown):');
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  // What is typed would be echoed.
  Object.assign(lines, { _writeToOutput: () => {} });
  const token = await new Promise((resolve) => void lines.question('', resolve));
  lines.close();
  return token.trim();
}

/** @param {Pick<TunnelOptions, 'engine' | 'kind'>} options */
async function waitForEngine({ engine, kind }) {
  for (let last = ''; ; await sleep(2000)) {
    const timeout = { signal: AbortSignal.timeout(5000) };
    const problem = await fetch(new URL(checkPaths[kind], engine), timeout).then(
      ({ status, ok }) => (ok || (status < 500 && kind !== 'comfyui') ? '' : `HTTP ${status}`),
      ({ message, cause }) => cause?.code ?? message,
    );
    if (problem === '') return;
    if (problem !== last) printStatus(`The engine does not respond yet: ${problem}.`);
    last = problem;
  }
}
