/** What a process that parses customers' files can reach, if a file has taken it over. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
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
import { ownNamespaces, sandboxWeakness } from './sandbox.ts';

const renderer = fileURLToPath(new URL('../proof/kit/prying-renderer.ts', import.meta.url));
const skip = ownNamespaces().length === 0 && 'this machine does not allow namespaces';
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
  const child = spawnSync(process.execPath, ['-e', script, JSON.stringify(ownNamespaces())], {
    env: { PATH: process.env.PATH, SECRET: secret },
    encoding: 'utf8',
  });
  assert.equal(child.stdout.trim(), 'true 0 true');
});

test('says what is weaker without namespaces, and how to fix it', () => {
  assert.equal(sandboxWeakness(['unshare', '--user', '--net'], 'linux'), null);
  const none = sandboxWeakness([], 'linux')!;
  assert.deepEqual(none.possible, [
    'open connections',
    'read what other processes of this user can',
  ]);
  assert.match(none.fix, /kernel\.apparmor_restrict_unprivileged_userns/);
  assert.equal(sandboxWeakness(['unshare', '--net'], 'linux')!.possible.length, 1);
  assert.equal(sandboxWeakness([], 'darwin')!.fix, 'run vidgen on Linux');
});
