/** What a process that parses customers' files can reach, if a file has taken it over. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  fileOf,
  openPreviews,
  startPreview,
  waitUntilFinal,
} from '../proof/kit/preview-fixture.ts';
import type { PryingAttempt } from '../proof/kit/prying-renderer.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { confine, hideFromSandbox, ownNamespaces, sandboxWeakness } from './sandbox.ts';

const renderer = fileURLToPath(new URL('../proof/kit/prying-renderer.ts', import.meta.url));
const skip = ownNamespaces().command.length === 0 && 'this machine does not allow namespaces';
/** A secret in the environment of this process from its start. */
const secret = 'a secret that no render may see';

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
    { read: fileURLToPath(new URL('../vidgen.config.example.ts', import.meta.url)) },
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

test('native code sees only its own folder of the home directory', { skip }, async (t) => {
  const home = makeTemporaryFolder('home');
  t.after(() => deleteFolder(home));
  const [token, kept] = [join(home, 'admin-token'), join(home, 'previews/render-1')];
  await mkdir(kept, { recursive: true });
  await writeFile(token, secret);
  await writeFile(join(kept, 'material'), 'a material');
  hideFromSandbox(home);
  if (!ownNamespaces().hidesHome) return t.skip('this machine does not allow mounts');
  const script = `
    cat "$1/admin-token"; echo planted > "$1/planted"
    umount -l "$1"; cat "$1/admin-token"
    unshare --user --map-root-user --mount sh -c 'umount -l "$0"; cat "$0/admin-token"' "$1"
    cat "$2/material"; echo made > "$2/result"`;
  const [program = '', ...args] = confine(['sh', '-c', script, 'sh', home, kept], {
    folder: kept,
    access: 'rw',
  });
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(stdout, 'a material');
  assert.equal(await readFile(join(kept, 'result'), 'utf8'), 'made\n');
  assert.equal(await readFile(token, 'utf8'), secret);
  await assert.rejects(readFile(join(home, 'planted')));
});

test('native code changes nothing in a folder that it may only read', { skip }, async (t) => {
  const home = makeTemporaryFolder('home');
  t.after(() => deleteFolder(home));
  const folder = join(home, 'downloads/posters-1');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'video'), 'a video');
  hideFromSandbox(home);
  if (!ownNamespaces().hidesHome) return t.skip('this machine does not allow mounts');
  const script = `
    ln -s /etc/passwd link; ln video hard; mkfifo pipe; mkdir folder; echo x > file
    echo x > video; rm video; mv video moved; mount -o remount,bind,rw .
    unshare --user --map-root-user --mount mount -o remount,bind,rw .; echo x > file; cat video`;
  const [program = '', ...args] = confine(['sh', '-c', script], { folder, access: 'ro' });
  assert.equal(spawnSync(program, args, { encoding: 'utf8' }).stdout, 'a video');
  assert.deepEqual(await readdir(folder), ['video']);
  assert.equal(await readFile(join(folder, 'video'), 'utf8'), 'a video');
});

test('says what is weaker without namespaces, and how to fix it', () => {
  const all = { command: ['unshare', '--user', '--mount', '--net'], hidesHome: true };
  assert.equal(sandboxWeakness(all, 'linux'), null);
  const none = sandboxWeakness({ command: [], hidesHome: false }, 'linux')!;
  assert.deepEqual(none.possible, [
    'open connections',
    'read and change the files of this user',
    'read the memory of other processes of this user',
  ]);
  assert.match(none.fix, /kernel\.apparmor_restrict_unprivileged_userns/);
  const networkOnly = { command: ['unshare', '--net'], hidesHome: false };
  assert.equal(sandboxWeakness(networkOnly, 'linux')!.possible.length, 2);
  assert.equal(
    sandboxWeakness({ command: [], hidesHome: false }, 'darwin')!.fix,
    'run vidgen on Linux',
  );
});
