/** The example configurations of proxies, in front of API processes of this machine. */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort } from '../faults/service-process.ts';
import { librariesOf } from './debian-program.ts';

const examples = join(import.meta.dirname, '../../deploy/proxies');

export type ProxyOptions = {
  readonly program: string;
  /** Of the API processes, on 127.0.0.1. */
  readonly ports: readonly number[];
  readonly folder: string;
};

export type StartedProxy = { readonly url: string; hasEnded(): boolean; stop(): void };

/** Without TLS and without its administration; everything else is the example. */
export async function startCaddy({ program, ports, folder }: ProxyOptions): Promise<StartedProxy> {
  const port = await reservePort();
  const file = join(folder, 'Caddyfile');
  const text = readFileSync(join(examples, 'Caddyfile'), 'utf8')
    .replace('{$VIDGEN_DOMAIN}', `http://127.0.0.1:${port}`)
    .replace('{$VIDGEN_UPSTREAM:127.0.0.1:8787}', addresses(ports).join(' '));
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
  return start(program, ['run', '--adapter', 'caddyfile', '--config', file], { port, folder });
}

/** Without TLS; everything else is the example. */
export async function startNginx({ program, ports, folder }: ProxyOptions): Promise<StartedProxy> {
  const port = await reservePort();
  const file = join(folder, 'nginx.conf');
  mkdirSync(join(folder, 'temp'), { recursive: true });
  const servers = addresses(ports).map(
    (address) => `server ${address} max_fails=1 fail_timeout=2s;`,
  );
  const example = readFileSync(join(examples, 'nginx.conf'), 'utf8')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replace('server 127.0.0.1:8787 max_fails=1 fail_timeout=2s;', servers.join(' '));
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`).join(' ');
  const main = `daemon off; pid ${folder}/nginx.pid; worker_processes 1; error_log stderr;`;
  writeFileSync(file, `${main}\nevents {}\nhttp { access_log off; ${paths}\n${example}}\n`);
  return start(program, ['-p', folder, '-c', file], { port, folder });
}

/** With its defaults and what it cannot do without. */
export async function startHaproxy({
  program,
  ports,
  folder,
}: ProxyOptions): Promise<StartedProxy> {
  const port = await reservePort();
  const file = join(folder, 'haproxy.cfg');
  const servers = addresses(ports).map((address, at) => `server s${at} ${address}`);
  const lines = [
    ...['defaults', 'mode http', 'option forwardfor'],
    ...['timeout connect 5s', 'timeout client 70s', 'timeout server 70s'],
    ...['frontend web', `bind 127.0.0.1:${port}`, 'default_backend api', 'backend api', ...servers],
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return start(program, ['-db', '-f', file], { port, folder });
}

const addresses = (ports: readonly number[]) => ports.map((port) => `127.0.0.1:${port}`);

function start(
  program: string,
  args: readonly string[],
  { port, folder }: { readonly port: number; readonly folder: string },
): StartedProxy {
  const log = createWriteStream(join(folder, 'proxy.log'));
  const env = { PATH: process.env.PATH, HOME: folder, LD_LIBRARY_PATH: librariesOf(program) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log);
  return {
    url: `http://127.0.0.1:${port}`,
    hasEnded: () => child.exitCode !== null,
    stop: () => void child.kill(),
  };
}
