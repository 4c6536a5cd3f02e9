/** What every store guarantees, as tests that the disk and object stores pass alike. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import {
  resultKey,
  type Storage,
  StorageError,
  type StorageErrorKind,
} from '../../server/storage/storage.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type StorageHarness = {
  open(): Promise<Storage>;
  /** Everything that is in the store, also what is not listed: partial files, open uploads. */
  leftovers(): Promise<readonly string[]>;
  /** Leaves what a process leaves that dies in the middle of a put. */
  interruptPut(key: string): Promise<void>;
  /** Larger contents are stored in parts, where the store has parts. */
  readonly partBytes: number;
  readonly failing: Partial<
    Record<'not_allowed' | 'throttled' | 'unreachable' | 'full', () => Promise<void>>
  >;
};

const taskId = 'task_01k9zq0c8vf5tbn3x6y7m2r4aw';
const key = resultKey({ taskId, attempt: 1, name: 'video.mp4' });
const contentType = 'video/mp4';
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

type Fixture = {
  /** For local files. */
  readonly folder: string;
  readonly harness: StorageHarness;
  readonly storage: Storage;
  putText(text: string, at?: string): Promise<unknown>;
  read(at?: string): Promise<Buffer | null>;
  readText(at?: string): Promise<string | null>;
  etagOf(): Promise<string>;
  keysBelow(prefix: string): Promise<string[]>;
};

export function describeStorage(name: string, harness: StorageHarness): void {
  describe(name, () => {
    const folder = makeTemporaryFolder('storage');
    for (const [guarantee, run] of Object.entries(guarantees)) {
      test(guarantee, async () => run(await openFixture(harness, folder)));
    }
    for (const [kind, fail] of Object.entries(harness.failing)) {
      test(`tells that a store is ${kind}, and how to remedy it`, async () => {
        const { storage } = await openFixture(harness, folder);
        await fail();
        const content = chunksOf(Buffer.from('x'));
        const error = await storage.put({ key, contentType, content }).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        assert(error instanceof StorageError, String(error));
        assert.equal(error.kind, kind as StorageErrorKind);
        assert.match(error.message, /; [a-z]/);
        assert.deepEqual(await harness.leftovers(), []);
      });
    }
  });
}

async function openFixture(harness: StorageHarness, folder: string): Promise<Fixture> {
  const storage = await harness.open();
  const read = async (at = key) => {
    const file = await storage.open(at);
    return file && (await buffer(file.read()));
  };
  return {
    folder,
    harness,
    storage,
    read,
    putText: (text, at = key) =>
      storage.put({ key: at, contentType, content: chunksOf(Buffer.from(text)) }),
    readText: async (at = key) => (await read(at))?.toString() ?? null,
    async etagOf() {
      const file = (await storage.open(key))!;
      await file.close();
      return file.etag;
    },
    keysBelow: async (prefix) =>
      (await Array.fromAsync(storage.list(prefix), (entry) => entry.key)).sort(),
  };
}

const guarantees: Readonly<Record<string, (fixture: Fixture) => Promise<void>>> = {
  async 'stores a local file and returns it whole, in ranges and by its head'({ folder, storage }) {
    const file = join(folder, 'source');
    await writeFile(file, '0123456789');
    assert.equal((await storage.put({ key, file, contentType })).bytes, 10);
    const stored = (await storage.open(key))!;
    assert.deepEqual([stored.bytesTotal, stored.contentType], [10, contentType]);
    assert.match(stored.etag, /^"[\w-]+"$/);
    assert.equal((await buffer(stored.read({ start: 2, end: 4 }))).toString(), '234');
    const again = (await storage.open(key))!;
    assert.equal(again.etag, stored.etag);
    assert.equal((await buffer(again.read({ start: 9, end: 9 }))).toString(), '9');
    await (await storage.open(key))!.close();
  },

  async 'stores a stream of unknown length, small, in parts and empty'({ harness, storage, read }) {
    for (const bytes of [
      0,
      1,
      harness.partBytes,
      harness.partBytes + 1,
      2 * harness.partBytes + 12_345,
    ]) {
      const content = randomBytes(bytes);
      const stored = { key, contentType, content: chunksOf(content), sha256: sha256(content) };
      assert.equal((await storage.put(stored)).bytes, bytes);
      assert.equal(sha256((await read())!), sha256(content), `${bytes} bytes`);
    }
    const file = (await storage.open(key))!;
    const across = { start: harness.partBytes - 2, end: harness.partBytes + 1 };
    assert.equal((await buffer(file.read(across))).length, 4);
    assert.deepEqual(await harness.leftovers(), [key]);
  },

  async 'replaces the content of a key, under another etag'({ putText, readText, etagOf }) {
    await putText('first, and longer');
    const etag = await etagOf();
    await putText('second');
    assert.notEqual(await etagOf(), etag);
    assert.equal(await readText(), 'second');
  },

  async 'of two that put a new key, one loses and the other is stored'({ harness, storage, read }) {
    for (const size of [10, harness.partBytes + 10]) {
      const at = resultKey({ taskId, attempt: size, name: 'video.mp4' });
      const put = (letter: string) => {
        const content = chunksOf(Buffer.alloc(size, letter));
        return storage.put({ key: at, contentType, isNew: true, content });
      };
      await put('a');
      await assert.rejects(put('b'), { name: 'StorageError', kind: 'exists' });
      assert.deepEqual(await read(at), Buffer.alloc(size, 'a'));
    }
    assert.equal((await harness.leftovers()).length, 2);
  },

  async 'holds one complete content when several put the same key'({ harness, putText, readText }) {
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000));
    await Promise.all(contents.map((content) => putText(content)));
    assert(contents.includes((await readText())!));
    assert.deepEqual(await harness.leftovers(), [key]);
  },

  async 'stores nothing when the content is not the announced one'({ harness, storage }) {
    for (const bytes of [10, harness.partBytes + 10]) {
      const content = chunksOf(Buffer.alloc(bytes));
      const stored = { key, contentType, content, sha256: sha256(Buffer.from('another')) };
      await assert.rejects(storage.put(stored), { name: 'StorageError', kind: 'damaged' });
    }
    assert.deepEqual(await harness.leftovers(), []);
  },

  async 'stores nothing when the source fails or the put is given up'({
    folder,
    harness,
    storage,
  }) {
    const broken = async function* () {
      yield Buffer.alloc(harness.partBytes + 1);
      throw new Error('the source broke off');
    };
    const failed = storage.put({ key, contentType, content: broken() });
    await assert.rejects(failed, /the source broke off/);
    const abort = new AbortController();
    const endless = async function* () {
      yield Buffer.alloc(harness.partBytes + 1);
      abort.abort(new Error('given up'));
      yield Buffer.alloc(1);
    };
    const { signal } = abort;
    await assert.rejects(storage.put({ key, contentType, content: endless(), signal }), /given up/);
    await assert.rejects(storage.put({ key, contentType, file: join(folder, 'missing') }), {
      code: 'ENOENT',
    });
    assert.deepEqual(await harness.leftovers(), []);
  },

  async 'lists everything, a task or an attempt, with sizes and times'({
    storage,
    putText,
    keysBelow,
  }) {
    const keys = [1, 2, 3, 4].flatMap((attempt) => [
      resultKey({ taskId, attempt, name: 'video.mp4' }),
      resultKey({ taskId: `task_${attempt}`, attempt: 1, name: 'video.mp4' }),
    ]);
    for (const at of keys) await putText('12345', at);
    assert.deepEqual(await keysBelow(''), keys.sort());
    assert.deepEqual(await keysBelow('task_2/'), ['task_2/1/video.mp4']);
    assert.deepEqual(await keysBelow(`${taskId}/3/`), [`${taskId}/3/video.mp4`]);
    assert.deepEqual(await keysBelow('task_9/'), []);
    const [entry] = await Array.fromAsync(storage.list('task_2/'));
    assert.equal(entry!.bytes, 5);
    assert(Math.abs(entry!.modifiedAt.getTime() - Date.now()) < 600_000);
  },

  async 'removes files, also those that are gone, and no others'({
    harness,
    storage,
    putText,
    readText,
  }) {
    const other = resultKey({ taskId, attempt: 2, name: 'video.mp4' });
    await putText('one');
    await putText('two', other);
    await storage.remove([key]);
    await storage.remove([key, key]);
    assert.equal(await storage.open(key), null);
    assert.equal(await readText(other), 'two');
    await storage.remove([other]);
    assert.deepEqual(await harness.leftovers(), []);
  },

  async 'a download that has begun finishes when its file is removed'({ storage }) {
    const content = randomBytes(1_000_000);
    await storage.put({ key, contentType, content: chunksOf(content) });
    const stream = (await storage.open(key))!.read();
    await once(stream, 'readable');
    await storage.remove([key]);
    assert.equal(sha256(await buffer(stream)), sha256(content));
    assert.equal(await storage.open(key), null);
  },

  async 'a download that is given up does not fail the next one'({ storage, read }) {
    await storage.put({ key, contentType, content: chunksOf(Buffer.alloc(3_000_000)) });
    const stream = (await storage.open(key))!.read();
    await once(stream, 'readable');
    stream.destroy();
    await once(stream, 'close');
    assert.equal((await read())!.length, 3_000_000);
  },

  async 'sweeps what an interrupted put left, and nothing that is in progress'({
    harness,
    storage,
    putText,
  }) {
    await putText('kept', resultKey({ taskId, attempt: 2, name: 'video.mp4' }));
    await harness.interruptPut(key);
    const startMs = Date.now() - 3600_000;
    assert.equal(await storage.deletePartialFiles({ untouchedSinceMs: startMs }), 0);
    assert.equal(await storage.open(key), null);
    const later = { untouchedSinceMs: Date.now() + 3600_000 };
    assert.equal(await storage.deletePartialFiles(later), 1);
    assert.equal(await storage.deletePartialFiles(later), 0);
    assert.deepEqual(await harness.leftovers(), [`${taskId}/2/video.mp4`]);
  },

  async 'rejects invalid keys, and a type that does not match the name'({
    harness,
    storage,
    keysBelow,
  }) {
    const content = () => chunksOf(Buffer.from('x'));
    const outside = '../../outside.mp4';
    const put = storage.put({ key: outside, content: content(), contentType });
    await assert.rejects(put, /not a storage key/);
    await assert.rejects(storage.open(outside), /not a storage key/);
    await assert.rejects(storage.remove([outside]), /not a storage key/);
    await assert.rejects(keysBelow('../'), /not a key prefix/);
    const wrongType = storage.put({ key, content: content(), contentType: 'text/html' });
    await assert.rejects(wrongType, /content type does not match/);
    assert.deepEqual(await harness.leftovers(), []);
  },
};

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 100_003) yield content.subarray(at, at + 100_003);
}
