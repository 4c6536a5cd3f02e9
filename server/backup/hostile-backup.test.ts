/** Backups that another program has changed: what is no part of a backup is not read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { deleteFolder, makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { type BackupStore, openFolderStore } from './backup-store.ts';
import { type Manifest, manifestPath, readManifest } from './manifest.ts';
import { digesting, verified } from './part.ts';
import { readFileList } from './save-files.ts';

const id = '20260101T000000Z-000000';
let folder: string;
let store: BackupStore;
beforeEach(async () => {
  folder = makeTemporaryFolder('backups');
  store = openFolderStore(folder);
  await mkdir(join(folder, id));
});
afterEach(() => deleteFolder(folder));

const skip = process.platform === 'win32' && 'has no pipes, and links only for administrators';

test('a link, a pipe or a folder is no part of a backup', { skip }, async () => {
  const path = join(folder, manifestPath(id));
  const secret = join(folder, 'secret');
  await writeFile(secret, 'of another folder');
  const kinds = [
    () => symlink(secret, path),
    () => symlink('/dev/zero', path),
    async () => assert.equal(spawnSync('mkfifo', [path]).status, 0),
    () => mkdir(path),
    async () => {
      await rm(join(folder, id), { recursive: true });
      await mkdir(join(folder, 'elsewhere'));
      await writeFile(join(folder, 'elsewhere', 'manifest.json'), '{}');
      await symlink(join(folder, 'elsewhere'), join(folder, id));
    },
  ];
  for (const make of kinds) {
    await rm(path, { recursive: true, force: true });
    await make();
    await assert.rejects(store.read(manifestPath(id)), /is no file/);
  }
});

/** Throws once more was read than any part here has. */
function* endless(chunksMax = 1_000): Generator<Buffer> {
  for (let chunk = 0; chunk < chunksMax; chunk += 1) yield Buffer.alloc(1024 ** 2);
  assert.fail('read on');
}

test('a part, a manifest and a line that go on are read no further than they may', async () => {
  const part = await digesting([Buffer.alloc(10)], async (chunks) =>
    Readable.from(chunks).toArray(),
  );
  const read = async (chunks: AsyncIterable<unknown>) => {
    for await (const _ of chunks);
  };
  await assert.rejects(read(verified(endless(), { name: 'a table', part })), /is damaged/);
  const endlessStore = { ...store, read: async () => Readable.from(endless()) };
  await assert.rejects(readManifest(endlessStore, id), /is damaged/);
  const line = gzipSync(Buffer.alloc(64 * 1024 ** 2, 'x'));
  const list = await digesting([line], async (chunks) => Readable.from(chunks).toArray());
  await writeFile(join(folder, id, 'files.jsonl.gz'), line);
  await assert.rejects(
    read(readFileList(store, { id, files: { list } } as Manifest)),
    /is damaged/,
  );
});
