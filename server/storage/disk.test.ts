/** A key on disk holds one complete file or none: overwritten, expired, or on a full disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { openDiskStorage } from './disk.ts';
import { resultKey, type Storage, type StoredEntry } from './storage.ts';

const taskId = 'task_01k9zq0c8vf5tbn3x6y7m2r4aw';
const key = resultKey({ taskId, attempt: 1, name: 'video.mp4' });
const contentType = 'video/mp4';

let home: string;
let folder: string;
let storage: Storage;
let created = 0;

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'vidgen-disk-'));
});
after(() => rm(home, { recursive: true }));
beforeEach(async () => {
  folder = join(home, `results-${++created}`);
  storage = await openDiskStorage(folder);
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

async function entriesBelow(prefix: string): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for await (const entry of storage.list(prefix)) entries.push(entry);
  return entries;
}

const everything = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).sort();

test('returns what was put, whole and in ranges, and leaves the local file alone', async () => {
  const file = await source('0123456789');
  assert.deepEqual(await storage.put({ key, file, contentType }), { bytes: 10 });
  assert.equal(await readFile(file, 'utf8'), '0123456789');
  assert.equal(await contentOf(key), '0123456789');
  const stored = (await storage.open(key))!;
  assert.deepEqual([stored.bytesTotal, stored.contentType], [10, 'video/mp4']);
  assert.equal((await buffer(stored.read({ start: 2, end: 4 }))).toString(), '234');
});

test('moves a file that it may move, and makes it private', async () => {
  const file = await source('0123456789');
  assert.deepEqual(await storage.put({ key, file, mayMove: true, contentType }), { bytes: 10 });
  assert.equal(await contentOf(key), '0123456789');
  await assert.rejects(readFile(file), { code: 'ENOENT' });
  const { mode } = await stat(join(folder, key));
  if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o600);
});

test('returns null for a key that was never put', async () => {
  assert.equal(await storage.open(key), null);
});

test('opens a file without reading it', async () => {
  await put('0123456789');
  const stored = (await storage.open(key))!;
  assert.match(stored.etag, /^"[0-9a-z-]+"$/);
  await stored.close();
});

test('after a repeated put the key holds the last content under a new etag', async () => {
  await put('first, and longer');
  const before = (await storage.open(key))!;
  await put('second');
  const now = (await storage.open(key))!;
  assert.notEqual(now.etag, before.etag);
  // A reader that started earlier continues with the old content.
  assert.equal((await buffer(before.read())).toString(), 'first, and longer');
  assert.equal((await buffer(now.read())).toString(), 'second');
  assert.deepEqual(await readdir(join(folder, '.incoming')), []);
});

test('holds one complete content when several workers put the same key', async () => {
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000));
  await Promise.all(contents.map((content) => put(content)));
  assert(contents.includes((await contentOf(key))!));
  assert.deepEqual(await readdir(join(folder, '.incoming')), []);
});

test('a download finishes when its result expires meanwhile', async () => {
  const content = 'x'.repeat(1_000_000);
  await put(content);
  const stream = (await storage.open(key))!.read();
  await once(stream, 'readable');
  await storage.remove([key]);
  assert.equal((await buffer(stream)).length, content.length);
  assert.equal(await storage.open(key), null);
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

test('lists stored files of everything, a task or an attempt, and nothing else', async () => {
  const other = resultKey({ taskId: 'task_2', attempt: 3, name: 'video.mp4' });
  const later = resultKey({ taskId, attempt: 2, name: 'video.mp4' });
  for (const at of [key, later, other]) await put('12345', at);
  await writeFile(join(folder, '.incoming', 'copy-in-the-making'), '');
  await mkdir(join(folder, 'lost+found'));
  await writeFile(join(folder, 'notes'), 'not ours');
  const keysBelow = async (prefix: string) =>
    (await entriesBelow(prefix)).map((entry) => entry.key).sort();
  assert.deepEqual(await keysBelow(''), [key, later, other].sort());
  assert.deepEqual(await keysBelow(`${taskId}/`), [key, later]);
  assert.deepEqual(await keysBelow(`${taskId}/2/`), [later]);
  assert.deepEqual(await keysBelow('task_3/'), []);
  const [entry] = await entriesBelow(`${taskId}/1/`);
  assert.equal(entry?.bytes, 5);
  assert(entry.modifiedAt instanceof Date);
});

test('rejects invalid keys, and a type that does not match the name', async () => {
  const file = await source('secret');
  const outside = '../../outside.mp4';
  await assert.rejects(storage.put({ key: outside, file, contentType }), /not a storage key/);
  await assert.rejects(storage.open(outside), /not a storage key/);
  await assert.rejects(storage.remove([outside]), /not a storage key/);
  await assert.rejects(entriesBelow('../'), /not a key prefix/);
  await assert.rejects(
    storage.put({ key, file, contentType: 'text/html' }),
    /content type does not match/,
  );
  assert.deepEqual(await everything(), ['.incoming']);
});

test('a failed put leaves nothing behind and keeps the old content', async () => {
  const missing = { file: join(home, 'missing'), contentType };
  await assert.rejects(storage.put({ key, ...missing }), { code: 'ENOENT' });
  assert.deepEqual(await everything(), ['.incoming']);
  await put('old');
  await assert.rejects(storage.put({ key, ...missing }), { code: 'ENOENT' });
  assert.equal(await contentOf(key), 'old');
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

test('deletes temporary files of a dead process, not those in progress', async () => {
  const incoming = join(folder, '.incoming');
  const [abandoned, fresh] = [join(incoming, 'abandoned'), join(incoming, 'fresh')];
  await writeFile(abandoned, 'half');
  await writeFile(fresh, 'half');
  const untouchedSinceMs = Date.now() - 3600_000;
  await utimes(abandoned, untouchedSinceMs / 1000 - 1, untouchedSinceMs / 1000 - 1);
  assert.equal(await storage.deletePartialFiles({ untouchedSinceMs }), 1);
  assert.deepEqual(await readdir(incoming), ['fresh']);
});
