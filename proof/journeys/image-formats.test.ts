/**
 * Images at the create: refused by their size, and by a format that no provider takes.
 * Thorough: decodes images of every format.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { imagesOf, jpegOf } from '../kit/image-headers.ts';
import { balanceOf, type Journey, startJourney } from '../kit/journey.ts';
import { type MediaServer, startMediaServer } from '../kit/media-server.ts';

let journey: Journey;
let server: MediaServer;
before(async () => {
  server = await startMediaServer();
  journey = await startJourney({ script: { status: ['completed'] } });
});
after(async () => {
  await journey.close();
  await server.close();
});

const fromImage = (url: string) => ({
  model: 'vidgen-2-5',
  input: { prompt: 'A boat', generation_type: 'image-to-video', image_urls: [url] },
});

const heic = Buffer.concat([
  Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
  Buffer.alloc(200),
]);

const messageOf = (body: Record<string, unknown>) => (body.error as { message: string }).message;

for (const [name, bytes] of Object.entries(imagesOf(50_000))) {
  test(`${name} of 50,000 by 50,000 pixels: a 400, and nothing is reserved`, async () => {
    const account = await journey.service.account({ live: 1_000 });
    const { status, body } = await account.client.create(fromImage(server.serve(name, bytes)));
    assert.equal(status, 400);
    assert.equal(
      messageOf(body),
      'input.image_urls[0] is 50000 x 50000 pixels; an image must have at most 48 million pixels',
    );
    assert.equal((await balanceOf(journey.service, account.id)).live.available, 1_000);
  });
}

test('a size behind more metadata than any image has is a 400', async () => {
  const { client } = await journey.service.account({ live: 1_000 });
  const url = server.serve('far', jpegOf(8, { metadataBytes: 8 * 1024 ** 2 }));
  const { status, body } = await client.create(fromImage(url));
  assert.equal(status, 400);
  assert.match(messageOf(body), /it is a JPEG image with too much metadata/);
});

test('a HEIC image goes to a provider that takes it, and is refused where none does', async () => {
  const url = server.serve('heic', heic);
  const live = await journey.service.account({ live: 1_000 });
  const accepted = await live.client.create(fromImage(url));
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  assert.equal((await live.client.final(accepted.body.taskId as string)).status, 'completed');
  // Test keys use the preview, which cannot decode it.
  const trial = await journey.service.account({ test: 1_000, mode: 'test' });
  const refused = await trial.client.create(fromImage(url));
  assert.equal(refused.status, 400);
  assert.equal(
    messageOf(refused.body),
    'input.image_urls[0] is a HEIC image, which no provider of this installation takes; ' +
      'use JPEG, PNG, WebP, GIF, BMP, AVIF',
  );
});
