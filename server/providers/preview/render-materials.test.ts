import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import type { FetchMaterial } from '../toolkit/fetch-material.ts';
import { fetchMaterials, titleOf } from './render-materials.ts';

const mebibyte = 1024 ** 2;

async function fetchAll(
  fetchMaterial: FetchMaterial,
  lists: { images?: number; videos?: number; bytesMax?: number },
) {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-materials-'));
  const urls = (kind: string, count = 0) =>
    Array.from({ length: count }, (_, index) => `https://cdn.example.test/${kind}${index}`);
  try {
    return await fetchMaterials(fetchMaterial, {
      generation: sampleGeneration({
        generationType: 'reference-to-video',
        imageUrls: urls('i', lists.images),
        videoUrls: urls('v', lists.videos),
      }),
      folder,
      sizes: { image: 30 * mebibyte, video: 200 * mebibyte, audio: 15 * mebibyte },
      signal: new AbortController().signal,
      ...(lists.bytesMax === undefined ? {} : { bytesMax: lists.bytesMax }),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('fetches small materials all at once, and keeps their order', async () => {
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
    { images: 9 },
  );
  assert.deepEqual(
    materials.map(({ index, title }) => [index, title]),
    Array.from({ length: 9 }, (_, index) => [index, `cdn.example.test/i${index}`]),
  );
});

test('never promises more bytes than a task may download', async () => {
  let promised = 0;
  let most = 0;
  let kept = 0;
  await fetchAll(
    async ({ bytesMax, into }) => {
      promised += bytesMax;
      most = Math.max(most, promised + kept);
      await new Promise(setImmediate);
      await writeFile(into, Buffer.alloc(3 * mebibyte));
      promised -= bytesMax;
      kept += 3 * mebibyte;
      return { saved: true };
    },
    { images: 12, bytesMax: 100 * mebibyte },
  );
  assert.ok(most <= 100 * mebibyte, `${most / mebibyte} MiB`);
  assert.ok(most > 60 * mebibyte, 'several at once');
});

test('what breaks off, or comes when nothing is left, counts as not fetched', async () => {
  const materials = await fetchAll(
    async ({ into, bytesMax }) => {
      if (into.endsWith('image-1')) throw new Error('reset');
      if (bytesMax < 10) return { saved: false };
      await writeFile(into, 'too much');
      return { saved: !into.endsWith('image-2') };
    },
    { images: 4, bytesMax: 16 },
  );
  assert.deepEqual(
    materials.map(({ file }) => file !== null),
    [true, false, false, false],
  );
});

test('titles name the host and the file, never what may be a credential', () => {
  assert.equal(titleOf('https://a.example.test/x/y.png?token=s#f'), 'a.example.test/y.png');
  assert.equal(titleOf('https://a.example.test:8443/'), 'a.example.test:8443');
  assert.equal(
    titleOf('https://a.example.test/caf%C3%A9%20au%20lait.jpg'),
    'a.example.test/café au lait.jpg',
  );
  assert.equal(titleOf('https://a.example.test/%E0%A4%A'), 'a.example.test/%E0%A4%A');
  assert.equal(titleOf('nonsense'), 'unreadable address');
});
