/**
 * The load of this service never decides a price: a create waits for its turn to be checked, and is
 * told to come back when it gets none.
 * Thorough: keeps the service busy; `materials/materials.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertApiError } from '../kit/assert-api-error.ts';
import { startJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';

const [journey, media, slow] = await Promise.all([
  startJourney({
    environment: {
      VIDGEN_ROLE: 'api',
      VIDGEN_MATERIALS: 'strict',
      VIDGEN_PUBLIC_URL: 'https://videos.example.com',
    },
  }),
  startMediaServer(),
  startMediaServer(),
]);
after(async () => {
  await journey.close();
  await media.close();
  await slow.close();
});

const requestOf = (input: object) => ({
  model: 'vidgen-2-5',
  input: { prompt: 'Make it rain', generation_type: 'reference-to-video', ...input },
});

test('an edit costs the same however busy the checks are, or is told to retry', async () => {
  const { client } = await journey.service.account({ live: 100_000 });
  const video = media.serve(
    'four-seconds.mp4',
    await makeMedia({ format: 'mp4', video: 'libx264', seconds: 4 }),
  );
  const edit = requestOf({ video_urls: [video], duration: -1 });
  const stalling = requestOf({ image_urls: [slow.serve('never', () => {})] });
  const before = Array.from({ length: 2 }, () => client.create(stalling));
  const [first, ...others] = await Promise.all([
    client.create(edit),
    ...Array.from({ length: 2 }, () => client.create(edit)),
  ]);
  for (const response of before) assert.equal((await response).status, 400);
  for (const { status, body } of [first!, ...others]) {
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.credits, 48);
  }
});

test('a create that gets no turn is 429 with retry_after, and does not count', async () => {
  const { client, id } = await journey.service.account({ live: 100_000 });
  // Two at a time, so that the last two would have their turn after 10.5 s.
  const slowUrl = slow.serve('slow', (_, response) => {
    setTimeout(() => response.writeHead(404).end(), 3_500);
  });
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      client.post('/v1/videos/generations', requestOf({ image_urls: [`${slowUrl}?${at}`] })),
    ),
  );
  const limited = responses.filter(({ status }) => status === 429);
  assert.ok(limited.length > 0, JSON.stringify(responses.map(({ status }) => status)));
  for (const response of limited) {
    const error = assertApiError(response, 'rate_limited');
    assert.equal(error.retry_after, 5);
    assert.equal(response.headers.get('retry-after'), '5');
  }
  const { rows } = await journey.service.db.query<{ counted: number }>(
    `select cardinality(stamps) as counted from create_windows w
     join api_keys k on k.id = w.key_id where k.account_id = $1`,
    [id],
  );
  assert.equal(rows[0]!.counted, responses.length - limited.length);
});
