import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeRenderFolder, openRenderFolder } from './render-folder.ts';

const machine = hostname().replaceAll(/[^a-zA-Z0-9]/g, '');

/** Returns the id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.on('close', resolve));
  return child.pid!;
}

test('deletes the folders of dead processes and no others', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'vidgen-folder-'));
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
