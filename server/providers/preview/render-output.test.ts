/** What is accepted as the output of a render that may have been taken over. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { closeRenderFolder, openRenderFolder } from './render-folder.ts';
import { outputIn, removeOutput, takeOver } from './render-output.ts';

const folder = makeTemporaryFolder('render-output');
const secret = join(folder, 'admin-token');
await writeFile(secret, 'a secret of the service');
const outFolder = join(folder, 'finished');
await mkdir(outFolder);
const rendered = { outcome: 'done', seconds: 1 } as const;

/** Takes over what `leave` has put in place of the video and of the last frame. */
async function outcomeOf(leave: (path: string) => Promise<unknown>, which: 'video' | 'lastFrame') {
  const workFolder = makeTemporaryFolder('render');
  const out = { video: join(outFolder, 'one.mp4'), lastFrame: join(outFolder, 'one.jpg') };
  const own = outputIn(workFolder, out);
  for (const name of ['video', 'lastFrame'] as const) {
    const path = own[name]!;
    await (name === which ? leave(path) : writeFile(path, 'a file'));
  }
  const { outcome } = await takeOver(rendered, { workFolder, out });
  const content = outcome === 'done' ? await readFile(out.video, 'utf8') : null;
  await removeOutput(out);
  deleteFolder(workFolder);
  return { outcome, content, left: await readdir(outFolder) };
}

test('takes files', async () => {
  const { outcome, content, left } = await outcomeOf((path) => writeFile(path, 'a video'), 'video');
  assert.deepEqual([outcome, content, left], ['done', 'a video', []]);
});

for (const which of ['video', 'lastFrame'] as const) {
  test(`takes no link, folder or pipe as ${which}, and deletes it`, async () => {
    const pipe = async (path: string) => assert.equal(spawnSync('mkfifo', [path]).status, 0);
    const filled = async (path: string) => {
      await mkdir(path);
      await writeFile(join(path, 'file'), '');
    };
    const link = (path: string) => symlink(secret, path);
    for (const leave of [link, filled, ...(process.platform === 'win32' ? [] : [pipe])]) {
      const { outcome, left } = await outcomeOf(leave, which);
      assert.deepEqual([outcome, left], ['failed', []], leave.name);
    }
    assert((await lstat(secret)).isFile());
  });
}

const machine = hostname().replaceAll(/[^a-zA-Z0-9]/g, '');

/** Returns the id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.on('close', resolve));
  return child.pid!;
}

test('deletes the folders of dead processes and no others', async () => {
  const parent = makeTemporaryFolder('folder');
  const left = async (name: string) => {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'clip.mp4'), 'x');
    return name;
  };
  const dead = await left(`${machine}-${await deadPid()}-00000000`);
  const sameId = await left(`${machine}-${process.pid}-00000000`);
  const living = await left(`${machine}-${process.ppid}-00000000`);
  const foreign = await left('elsewhere-1-00000000');
  const oldForeign = await left('elsewhere-2-00000000');
  const twoDaysAgo = new Date(Date.now() - 48 * 60 * 60 * 1000);
  await utimes(join(parent, oldForeign), twoDaysAgo, twoDaysAgo);
  const notOurs = await left('holiday');

  const first = await openRenderFolder(parent);
  const second = await openRenderFolder(parent);
  const names = await readdir(parent);
  for (const removed of [dead, sameId, oldForeign]) assert.ok(!names.includes(removed), removed);
  for (const kept of [living, foreign, notOurs]) assert.ok(names.includes(kept), kept);
  assert.equal(names.length, 5, 'a second one in the same process leaves the first alone');

  await closeRenderFolder(first);
  await closeRenderFolder(second);
  assert.equal((await readdir(parent)).length, 3);
  await rm(parent, { recursive: true });
});
