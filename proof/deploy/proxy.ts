/** Caddy with the example configuration, in front of several API processes of this machine. */
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort } from '../faults/service-process.ts';
import { isInstalled } from './podman.ts';

const example = join(import.meta.dirname, '../../deploy/proxies/Caddyfile');

export async function startProxy(options: {
  readonly caddy: string;
  readonly ports: readonly number[];
  readonly folder: string;
  readonly print: (line: string) => void;
}): Promise<{ readonly url: string; stop(): void }> {
  const { caddy, ports, folder, print } = options;
  if (!isInstalled(caddy)) throw new Error('caddy is missing (or set CADDY): apt install caddy');
  const port = await reservePort();
  const file = join(folder, 'Caddyfile');
  const upstreams = ports.map((one) => `127.0.0.1:${one}`).join(' ');
  // Without TLS and its administration; everything else is the example.
  const text = readFileSync(example, 'utf8')
    .replace('{$VIDGEN_DOMAIN}', `http://127.0.0.1:${port}`)
    .replace('{$VIDGEN_UPSTREAM:127.0.0.1:8787}', upstreams);
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
  const log = createWriteStream(join(folder, 'caddy.log'));
  const child = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log);
  child.on('error', (error) => print(`caddy: ${error.message}`));
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
