/** What a process that parses customers' files can reach, if a file has taken it over. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  fileOf,
  openPreviews,
  startPreview,
  waitUntilFinal,
} from '../../proof/kit/preview-fixture.ts';
import type { PryingAttempt } from '../../proof/kit/prying-renderer.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { processTree } from './process-tree.ts';
import {
  confine,
  hideFromSandbox,
  ownNamespaces,
  type SandboxFolders,
  sandboxWeakness,
} from './sandbox.ts';

const renderer = fileURLToPath(new URL('../../proof/kit/prying-renderer.ts', import.meta.url));
const skip = ownNamespaces().command.length === 0 && 'this machine does not allow namespaces';
/** A secret in the environment of this process from its start. */
const secret = 'a secret that no render may see';
const none: SandboxFolders = { readable: [], writable: [] };

async function pry(attempts: readonly PryingAttempt[]): Promise<boolean[]> {
  await using previews = await openPreviews({ renderer, sharedFolder: '/nowhere' });
  const { poll } = await startPreview(previews.preview, { prompt: JSON.stringify(attempts) });
  return JSON.parse(await readFile(fileOf(await waitUntilFinal(poll)), 'utf8'));
}

test('a render reads our code and its own folder, and writes to its own folder', async () => {
  await using previews = await openPreviews({ renderer });
  const token = join(previews.folder, 'admin-token');
  await writeFile(token, secret);
  const attempts: PryingAttempt[] = [
    { read: token },
    { read: '/etc/hostname' },
    { read: `/proc/${process.pid}/environ` },
    { read: fileURLToPath(new URL('../../vidgen.config.example.ts', import.meta.url)) },
    { write: join(previews.folder, 'compiled') },
    { write: renderer },
    { write: token },
  ];
  assert.deepEqual(
    await pry(attempts),
    attempts.map(() => false),
  );
  assert.deepEqual(await pry([{ read: renderer }]), [true]);
});

test('a render opens no connection', { skip }, async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  assert.deepEqual(await pry([{ connect: port }]), [false]);
});

test('native code in the namespaces cannot read the environment of this process', { skip }, () => {
  const script = `
    const { spawnSync } = require('node:child_process');
    const [program, ...args] = JSON.parse(process.argv[1]);
    const read = ['cat', '/proc/' + process.pid + '/environ'];
    const confined = spawnSync(program, [...args, ...read], { env: {} });
    const free = spawnSync(read[0], read.slice(1), { env: {}, encoding: 'utf8' });
    console.log(confined.status !== 0, confined.stdout.length, free.stdout.includes('a secret'));`;
  const child = spawnSync(
    process.execPath,
    ['-e', script, JSON.stringify(ownNamespaces().command)],
    {
      env: { PATH: process.env.PATH, SECRET: secret },
      encoding: 'utf8',
    },
  );
  assert.equal(child.stdout.trim(), 'true 0 true');
});

/** Runs a shell in the confinement of a media process. */
function runConfined(script: string, folders: SandboxFolders, args: readonly string[] = []) {
  const [program = '', ...rest] = confine(['sh', '-c', script, 'sh', ...args], folders);
  return spawnSync(program, rest, { encoding: 'utf8' }).stdout;
}

const noRoot = !ownNamespaces().hasRoot && 'this machine does not allow mounts';

test('native code sees our code and its own folder, and writes to that folder only', {
  skip: noRoot,
}, async (t) => {
  const home = makeTemporaryFolder('home');
  const token = join(home, 'admin-token');
  const own = join(home, 'previews/render-1');
  const socket = join(home, 'socket');
  await mkdir(own, { recursive: true });
  await writeFile(token, secret);
  await writeFile(join(own, 'material'), 'a material');
  const server = createServer((connected) => connected.end('open')).listen(socket);
  t.after(() => server.close());
  const script = `
    cat "$1/admin-token" "$3/.env.example" "$3/vidgen.config.example.ts" ~/.profile /etc/passwd
    ls -A "$1" ~ /proc /var /run | grep -e token -e socket -e profile -e lock -e '^[0-9]'
    echo planted > "$1/planted"; umount -l "$1"; cat "$1/admin-token"
    unshare --user --map-root-user --mount sh -c 'umount -l "$0"; cat "$0/admin-token"' "$1"
    for path in / /usr /tmp "$1" "$3" "$3/server/process/sandbox.ts" "$3/node_modules" "$4"
    do test -w "$path" && echo "can write to $path"; done
    "$4" -e 'const { connect } = require("net");
      connect(process.argv[1]).on("data", console.log).on("error", () => {})' "$1/socket"
    cat "$2/material"; echo made > "$2/result"`;
  const folders = { readable: [], writable: [own] };
  const root = fileURLToPath(new URL('../..', import.meta.url)).slice(0, -1);
  assert.equal(runConfined(script, folders, [home, own, root, process.execPath]), 'a material');
  assert.equal(await readFile(join(own, 'result'), 'utf8'), 'made\n');
  assert.deepEqual(await readdir(home), ['admin-token', 'previews', 'socket']);
});

test('native code changes nothing in a folder that it may only read', {
  skip: noRoot,
}, async () => {
  const folder = makeTemporaryFolder('posters');
  await writeFile(join(folder, 'video'), 'a video');
  const script = `
    cd "$1"; ln -s /etc/passwd link; ln video hard; mkfifo pipe; mkdir folder; echo x > file
    echo x > video; rm video; mv video moved; mount -o remount,bind,rw .
    unshare --user --map-root-user --mount mount -o remount,bind,rw .; echo x > file; cat video`;
  assert.equal(runConfined(script, { readable: [folder], writable: [] }, [folder]), 'a video');
  assert.deepEqual(await readdir(folder), ['video']);
  assert.equal(await readFile(join(folder, 'video'), 'utf8'), 'a video');
});

test('files of the service in a folder of the system are hidden', { skip: noRoot }, async (t) => {
  const app = await mkdtemp('/usr/local/vidgen-test-').catch(() => null);
  if (!app) return t.skip('this user cannot write to /usr/local');
  t.after(() => {
    hideFromSandbox();
    return rm(app, { recursive: true });
  });
  await mkdir(join(app, 'home/render-1'), { recursive: true });
  for (const name of ['home/token', 'home/render-1/material', 'config.ts', 'open'])
    await writeFile(join(app, name), name);
  hideFromSandbox(join(app, 'home'), join(app, 'config.ts'));
  const script = 'cd "$1"; cat home/token config.ts open home/render-1/material; echo x > home/x';
  const folders = { readable: [], writable: [join(app, 'home/render-1')] };
  assert.equal(runConfined(script, folders, [app]), 'openhome/render-1/material');
});

/** Of processes with the mark among their arguments. */
const marked = (mark: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark);
    } catch {
      return false;
    }
  }).length;

test('native code ends no other process, and leaves none behind', { skip }, async () => {
  const mark = `left-${process.pid}`;
  const leave = `setsid sh -c 'trap "" TERM HUP; while :; do sleep 9; done' ${mark} > /dev/null &`;
  assert.equal(runConfined(`kill -0 ${process.pid} && echo sent; kill -9 1; ${leave}`, none), '');
  assert.equal(marked(mark), 0);
  // The service is killed, and cannot end them.
  const parent = spawn(
    process.execPath,
    [
      '-e',
      `const [program, ...args] = process.argv.slice(1);
       require('child_process').spawn(program, args);`,
      ...confine(['sh', '-c', `${leave} while :; do sleep 9; done`]),
    ],
    { stdio: 'ignore' },
  );
  await waitUntil(() => marked(mark) === 1);
  parent.kill('SIGKILL');
  await waitUntil(() => marked(mark) === 0);
});

test('limits count the processes that a process has started', { skip }, async (t) => {
  const [program = '', ...args] = confine(['sh', '-c', 'sleep 99 & sleep 99 & echo; wait']);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const processName = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  await waitUntil(() => {
    const names = processTree(child.pid!).map(processName);
    return names.filter((name) => name === 'sleep').length === 2;
  });
});

test('says what is weaker without namespaces, and how to fix it', () => {
  const command = ['unshare', '--user', '--mount', '--net', '--pid'];
  assert.equal(sandboxWeakness({ command, hasRoot: true }, 'linux'), null);
  const none = sandboxWeakness({ command: [], hasRoot: false }, 'linux')!;
  assert.deepEqual(none.possible, [
    'open connections',
    'read and change the files of this user, such as .env and our code, and use its sockets',
    'read the memory of other processes of this user',
    'end other processes of this user, and leave some behind',
  ]);
  assert.match(none.fix, /kernel\.apparmor_restrict_unprivileged_userns/);
  assert.equal(sandboxWeakness({ command, hasRoot: false }, 'linux')!.possible.length, 1);
  const elsewhere = sandboxWeakness({ command: [], hasRoot: false }, 'darwin')!;
  assert.equal(elsewhere.fix, 'run vidgen on Linux');
});
