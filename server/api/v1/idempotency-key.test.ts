/** `Idempotency-Key` on create, over HTTP: the first response again, and nothing reserved twice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { imageToVideo, textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';
import { deleteExpiredKeys } from '../../tasks/idempotency.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

const keyed = (key: string) => ({ 'idempotency-key': key });

describe('the same request', () => {
  test('is the same in any spelling: other order, explicit defaults, spaces', async () => {
    const { client } = await service.account({ live: 100 });
    const spellings = [
      '{"model":"vidgen-2-0","input":{"prompt":"a boat","duration":6}}',
      '{"input":{"duration":6,"prompt":"a boat"},"model":"vidgen-2-0"}',
      '{"model":"vidgen-2-0", "input":{"prompt":"  a boat ","duration":6.0,"seed":-1,' +
        '"generation_type":"text-to-video","aspect_ratio":"adaptive","resolution":"720p",' +
        '"image_urls":[],"video_urls":[],"audio_urls":[],"generate_audio":true,' +
        '"watermark":false,"web_search":false,"return_last_frame":false}}',
      '{"model":"vidgen-2-0","input":{"pro\\u006dpt":"a boat","duration":6}}',
    ];
    const responses = [];
    for (const body of spellings) responses.push(await client.create(body, keyed('boat')));
    for (const { status, body } of responses) {
      assert.deepEqual([status, body], [200, responses[0]!.body]);
    }
    const { body } = await client.get('/v1/credits');
    assert.deepEqual([body.available, body.reserved], [64, 36]);
  });

  test('with materials gets its response before balance and materials are checked', async () => {
    const { client } = await service.account({ live: 8 });
    const body = imageToVideo('http://127.0.0.1:1/first.png');
    const first = await client.create(body, keyed('picture'));
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const again = await client.create(body, keyed('picture'));
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const other = { ...body, input: { ...body.input, prompt: 'y' } };
    assertApiError(await client.create(other, keyed('picture')), 'invalid_request');
    assertApiError(await client.create(other, keyed('another')), 'insufficient_credits');
  });
});

describe('the scope of a key', () => {
  test('is the account: any of its API keys of that mode gets the first response', async () => {
    const { client, otherClient } = await service.account({ live: 100 });
    const first = await client.create(textToVideo, keyed('shared'));
    const other = await otherClient();
    assert.deepEqual((await other.create(textToVideo, keyed('shared'))).body, first.body);
  });

  test('is separate for each mode and each account', async () => {
    const { client, otherClient } = await service.account({ live: 100, test: 100 });
    const { client: outsider } = await service.account({ live: 100 });
    const testing = await otherClient({ mode: 'test' });
    const responses = [];
    for (const one of [client, testing, outsider]) {
      responses.push(await one.create(textToVideo, keyed('popular')));
    }
    assert.deepEqual(pluck(responses, 'status'), [200, 200, 200]);
    assert.equal(new Set(responses.map(({ body }) => body.taskId)).size, 3);
  });
});

test('only keys of yesterday are deleted', async () => {
  const { client } = await service.account({ live: 100 });
  const first = await client.create(textToVideo, keyed('old'));
  const second = await client.create(textToVideo, keyed('new'));
  await service.db.query(
    `update idempotency_keys set created_at = now() - interval '26 hours' where task_id = $1`,
    [first.body.taskId],
  );
  assert.equal(await deleteExpiredKeys(service.db), false);
  const { rows } = await service.db.query(
    'select task_id from idempotency_keys where task_id = any($1)',
    [[first.body.taskId, second.body.taskId]],
  );
  assert.deepEqual(rows, [{ task_id: second.body.taskId }]);
});

describe('the form of a key', () => {
  const good = ['a', '!', 'x'.repeat(255), 'with spaces inside', '{"json": true}', "'; drop --"];
  for (const key of good) {
    test(`accepted: ${JSON.stringify(key.slice(0, 30))}`, async () => {
      const { client } = await service.account({ live: 5 });
      const first = await client.create(textToVideo, keyed(key));
      assert.equal(first.status, 200);
      assert.deepEqual((await client.create(textToVideo, keyed(key))).body, first.body);
    });
  }

  const bad = {
    empty: '',
    'spaces only': '   ',
    '256 characters': 'x'.repeat(256),
    'no ASCII': 'é',
  };
  for (const [what, key] of Object.entries(bad)) {
    test(`rejected: ${what}`, async () => {
      const { client } = await service.account({ live: 5 });
      assertApiError(
        await client.create(textToVideo, keyed(key)),
        'invalid_request',
        /Idempotency-Key header must be 1 to 255 printable ASCII characters/,
      );
    });
  }
});
