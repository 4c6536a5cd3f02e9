/** Images at the create: refused by their size, and by a format that no provider takes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { type Journey, startJourney } from '../kit/journey.ts';
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

test('a PNG of 50,000 by 50,000 pixels is a 400, and nothing is reserved', async () => {
  const { client } = await journey.service.account({ live: 1_000 });
  const png = createCanvas(8, 8).toBuffer('image/png');
  png.writeUInt32BE(50_000, 16);
  png.writeUInt32BE(50_000, 20);
  const { status, body } = await client.create(fromImage(server.serve('huge', png)));
  assert.equal(status, 400);
  assert.equal(
    messageOf(body),
    'input.image_urls[0] is 50000 x 50000 pixels; an image must have at most 48 million pixels',
  );
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
