import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { saveStream } from './save-stream.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidgen-save-'));
});
after(() => rm(folder, { recursive: true }));

test('a file appears complete, and only under its name', async () => {
  const during: string[][] = [];
  async function* chunks() {
    yield Buffer.from('one ');
    during.push(await readdir(folder));
    yield Buffer.from('two');
  }
  assert.equal(await saveStream(chunks(), join(folder, 'whole')), 7);
  assert.equal(await readFile(join(folder, 'whole'), 'utf8'), 'one two');
  assert.deepEqual(await readdir(folder), ['whole']);
  assert.ok(during.flat().every((name) => name.endsWith('.part')));
});

test('a stream that fails leaves nothing behind, and an existing file stays', async () => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('broken');
  }
  await assert.rejects(saveStream(broken(), join(folder, 'whole')), /broken/);
  assert.equal(await readFile(join(folder, 'whole'), 'utf8'), 'one two');
  assert.deepEqual(await readdir(folder), ['whole']);
});
