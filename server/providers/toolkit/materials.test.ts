import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fetchBytes } from '../../../proof/kit/conformance-faults.ts';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { type FetchMaterial, fetchMaterials, withMaterials } from './materials.ts';

const mebibyte = 1024 ** 2;

async function fetchAll(
  fetchMaterial: FetchMaterial,
  { imageUrls, ...limits }: { imageUrls: readonly string[]; bytesMax?: number },
) {
  const folder = makeTemporaryFolder('materials');
  return await fetchMaterials(fetchMaterial, {
    generation: sampleGeneration({ generationType: 'reference-to-video', imageUrls }),
    folder,
    sizes: { image: 30 * mebibyte, video: 200 * mebibyte, audio: 15 * mebibyte },
    signal: new AbortController().signal,
    ...limits,
  });
}

const images = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/i${index}`);

test('fetches small materials in parallel, and keeps their order', async () => {
  let waiting = 0;
  const gate = Promise.withResolvers<void>();
  const materials = await fetchAll(
    async ({ into }) => {
      waiting += 1;
      if (waiting === 9) gate.resolve();
      await gate.promise;
      await writeFile(into, 'x');
      return { saved: true };
    },
    { imageUrls: images(9) },
  );
  assert.deepEqual(
    pluck(materials, 'index', 'title'),
    Array.from({ length: 9 }, (_, index) => [index, `cdn.example.test/i${index}`]),
  );
});

test('never reserves more bytes than a task may download', async () => {
  let reserved = 0;
  let most = 0;
  let kept = 0;
  await fetchAll(
    async ({ bytesMax, into }) => {
      reserved += bytesMax;
      most = Math.max(most, reserved + kept);
      await new Promise(setImmediate);
      await writeFile(into, Buffer.alloc(3 * mebibyte));
      reserved -= bytesMax;
      kept += 3 * mebibyte;
      return { saved: true };
    },
    { imageUrls: images(12), bytesMax: 100 * mebibyte },
  );
  assert.ok(most <= 100 * mebibyte, `${most / mebibyte} MiB`);
  assert.ok(most > 60 * mebibyte, 'several at once');
});

test('treats a failed download, or one without bytes left, as not fetched', async () => {
  const materials = await fetchAll(
    async ({ into, bytesMax }) => {
      if (into.endsWith('image-1')) throw new Error('reset');
      if (bytesMax < 10) return { saved: false };
      await writeFile(into, 'too much');
      return { saved: !into.endsWith('image-2') };
    },
    { imageUrls: images(4), bytesMax: 16 },
  );
  assert.deepEqual(
    materials.map(({ file }) => file !== null),
    [true, false, false, false],
  );
});

test('titles have the host and the file name, never a query', async () => {
  const titles: Record<string, string> = {
    'https://a.example.test/x/y.png?token=s#f': 'a.example.test/y.png',
    'https://a.example.test:8443/': 'a.example.test:8443',
    'https://a.example.test/caf%C3%A9%20au%20lait.jpg': 'a.example.test/café au lait.jpg',
    'https://a.example.test/%E0%A4%A': 'a.example.test/%E0%A4%A',
    nonsense: 'unreadable URL',
  };
  const imageUrls = Object.keys(titles);
  const materials = await fetchAll(async () => ({ saved: false }), { imageUrls });
  assert.deepEqual(pluck(materials, 'title'), Object.values(titles));
});

describe('files for an upload', () => {
  const png = '\x89PNG\r\n\x1a\n';
  const saving = (content: string) => fetchBytes(Buffer.from(content, 'latin1'));
  const missing: FetchMaterial = async () => ({ saved: false });

  /** Returns the result, how often the files were used, and what is left in the folder. */
  async function upload(fetchMaterial: FetchMaterial, change: { tempFolder?: string } = {}) {
    const tempFolder = makeTemporaryFolder('upload');
    const imageUrls = images(1);
    const generation = sampleGeneration({ generationType: 'image-to-video', imageUrls });
    const materialBytesMax = { image: 100, video: 100, audio: 100 };
    const options = { fetchMaterial, materialBytesMax, tempFolder, secondsMax: 60, ...change };
    const used: (readonly string[])[] = [];
    const result = await withMaterials(generation, options, async (files) => {
      used.push(files.map(({ kind, extension }) => `${kind} ${extension}`));
      return { outcome: 'accepted', operation: 'op' } as const;
    });
    const left = await readdir(tempFolder);
    await rm(tempFolder, { recursive: true });
    return { result, used, left };
  }

  test('are checked, used and deleted', async () => {
    const { result, used, left } = await upload(saving(png));
    assert.equal(result.outcome, 'accepted');
    assert.deepEqual([used, left], [[['image png']], []]);
  });

  test('are fetched again when a host fails once', async () => {
    let attempts = 0;
    const { used } = await upload(async (request) => {
      attempts += 1;
      return await (attempts === 1 ? missing : saving(png))(request);
    });
    assert.deepEqual([attempts, used.length], [2, 1]);
  });

  test('are unusable when they cannot be fetched or have another format', async () => {
    for (const fetchMaterial of [saving('<html>please log in</html>'), missing]) {
      const { result, used, left } = await upload(fetchMaterial);
      const expected = { outcome: 'rejected', reason: 'material', canFailOver: false };
      assert.partialDeepStrictEqual(result, expected);
      assert.deepEqual([used, left], [[], []]);
    }
  });

  test('are tried later when this machine cannot save them', async () => {
    const { result, used } = await upload(saving(png), { tempFolder: '/dev/null/nowhere' });
    assert.partialDeepStrictEqual(result, { outcome: 'throttled' });
    assert.deepEqual(used, []);
  });
});
