/** The size limit of materials holds for the download too; the probe has its own tests. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RendererOutput } from '../kit/fake-renderer.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { startService } from '../kit/service.ts';

const renderer = fileURLToPath(new URL('../kit/fake-renderer.ts', import.meta.url));
const mebibyte = 1024 ** 2;

const server = await startMediaServer();
const large = Buffer.concat([await readFile(resultFramePath), Buffer.alloc(mebibyte)]);
const service = await startService({ renderer, environment: { VIDGEN_IMAGE_MEGABYTES: '1' } });
after(async () => {
  await service.close();
  await server.close();
});

const moving = (...images: string[]) => ({
  model: 'vidgen-2-0-mini',
  input: {
    prompt: 'it moves',
    generation_type: 'image-to-video',
    resolution: '480p',
    image_urls: images,
  },
});

test('a larger material that the probe missed is not downloaded for the preview', async () => {
  const { client } = await service.account({ live: 100 });
  const small = server.serve('small', await readFile(resultFramePath));
  let isLate = false;
  const hidden = server.serve('hidden', (_request, response) => {
    if (isLate) response.end(large);
    else response.writeHead(503).end();
    isLate = true;
  });
  const { status, body } = await client.create(moving(small, hidden));
  assert.equal(status, 200, JSON.stringify(body));
  const { data } = await client.final(String(body.taskId));
  const output = (await (await fetch(data!.results[0]!)).json()) as RendererOutput;
  assert.deepEqual(
    output.job.materials.map(({ index, file }) => [index, file !== null]),
    [
      [0, true],
      [1, false],
    ],
  );
  assert.equal(server.requestCount('hidden'), 2);
  await service.assertInvariants();
});
