/** A key on disk holds one complete file or none: overwritten, expired, or on a full disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, test } from 'node:test';
import { describeStorage } from '../../proof/kit/storage-conformance.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { openDiskStorage } from './disk.ts';
import { resultKey, type Storage } from './storage.ts';

const taskId = 'task_01k9zq0c8vf5tbn3x6y7m2r4aw';
const key = resultKey({ taskId, attempt: 1, name: 'video.mp4' });
const contentType = 'video/mp4';

const home = makeTemporaryFolder('disk');
let folder: string;
let storage: Storage;
let created = 0;

async function open(): Promise<Storage> {
  folder = join(home, `results-${++created}`);
  storage = await openDiskStorage(folder);
  return storage;
}
beforeEach(open);

describeStorage('the disk', {
  open,
  async leftovers() {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      .sort();
  },
  async interruptPut() {
    await writeFile(join(folder, '.incoming', 'abandoned'), 'half');
  },
  partBytes: 64 * 1024,
  failing: {},
});

async function source(content: string | Uint8Array): Promise<string> {
  const file = join(home, `source-${++created}`);
  await writeFile(file, content);
  return file;
}

async function put(content: string | Uint8Array, at = key): Promise<{ bytes: number }> {
  return storage.put({ key: at, file: await source(content), contentType });
}

async function contentOf(at: string): Promise<string | null> {
  const stored = await storage.open(at);
  return stored && (await buffer(stored.read())).toString();
}

const everything = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).sort();

test('moves a file that it may move, and makes it private', async () => {
  const file = await source('0123456789');
  const moved = { bytes: 10, moved: true };
  assert.deepEqual(await storage.put({ key, file, mayMove: true, contentType }), moved);
  assert.equal(await contentOf(key), '0123456789');
  await assert.rejects(readFile(file), { code: 'ENOENT' });
  const { mode } = await stat(join(folder, key));
  if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600);
});

test('removes files and the folders that become empty, and no others', async () => {
  const second = resultKey({ taskId, attempt: 2, name: 'video.mp4' });
  await put('one');
  await put('two', second);
  await storage.remove([key]);
  assert.equal(await contentOf(second), 'two');
  await storage.remove([second, key]);
  assert.deepEqual(await everything(), ['.incoming']);
});

test('creates its folder again when a concurrent removal deletes it', async () => {
  const frame = resultKey({ taskId, attempt: 1, name: 'last-frame.png' });
  for (let round = 0; round < 30; round++) {
    await put('video');
    const file = await source('frame');
    await Promise.all([
      storage.remove([key]),
      storage.put({ key: frame, file, contentType: 'image/png' }),
    ]);
    assert.equal(await contentOf(frame), 'frame');
    await storage.remove([frame]);
  }
});

test('lists stored files, and nothing else that is in the folder', async () => {
  await put('12345');
  await writeFile(join(folder, '.incoming', 'copy-in-the-making'), '');
  await mkdir(join(folder, 'lost+found'));
  await writeFile(join(folder, 'notes'), 'not ours');
  assert.deepEqual(await Array.fromAsync(storage.list(''), (entry) => entry.key), [key]);
});

test('a put that fails, or replaces what is being read, keeps the old content', async () => {
  await put('old');
  const reader = (await storage.open(key))!;
  const missing = storage.put({ key, file: join(home, 'missing'), contentType });
  await assert.rejects(missing, { code: 'ENOENT' });
  assert.equal(await contentOf(key), 'old');
  await put('new');
  assert.equal((await buffer(reader.read())).toString(), 'old');
  assert.deepEqual(await readdir(join(folder, '.incoming')), []);
});

test('leaves no partial file when the disk takes only part of it', async () => {
  const file = await source(new Uint8Array(1024 * 1024));
  const script = `
    import { openDiskStorage } from ${JSON.stringify(new URL('./disk.ts', import.meta.url))};
    const storage = await openDiskStorage(${JSON.stringify(folder)});
    const file = ${JSON.stringify(file)};
    const put = storage.put({ key: ${JSON.stringify(key)}, file, contentType: 'video/mp4' });
    await put.then(() => process.exit(1), (error) => process.stdout.write(error.code));`;
  // A limit of 64 blocks per file acts like a full disk and needs no privileges.
  const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" --input-type=module --eval "$1"`;
  const child = spawn('sh', ['-c', limited, process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await buffer(child.stdout);
  assert.equal(output.toString(), 'EFBIG');
  assert.deepEqual(await everything(), ['.incoming']);
});
