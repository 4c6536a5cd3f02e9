/** `GET /v1/tasks/:id` over HTTP: its shape in every state, authorization, and `?wait=`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { createTask, startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { openSocket, parseResponses } from '../../../proof/kit/raw-http.ts';
import type { Script } from '../../../proof/kit/scripted-provider.ts';

const released = Promise.withResolvers<void>();
const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;
const scripts: Readonly<Record<string, Script>> = {
  queued: { start: [{ step: 'accepted', until: released.promise }] },
  generating: { status: [pending], cancel: ['stopped'] },
  failed: { status: ['failed'] },
};
const journey = await startJourney({
  script: ({ generation }) => scripts[generation.prompt] ?? {},
  environment: { VIDGEN_RATE_STATUS: '0' },
});
after(async () => {
  released.resolve();
  await journey.close();
});

/** A task that has reached this status and stays there. */
async function taskThatIs(prompt: TaskStatusResponse['status']) {
  const { account, taskId: id, reach } = await createTask(journey.service, { input: { prompt } });
  await reach(prompt);
  return { account, id, path: `/v1/tasks/${id}` };
}

const inProgress = [
  ...['id', 'status', 'created_at', 'model', 'billing_status', 'credits', 'failed_reason'],
];

describe('the shape of a task', () => {
  const shapes = [
    ['queued', 'reserved', null, inProgress],
    ['generating', 'reserved', null, inProgress],
    ['completed', 'charged', null, [...inProgress, 'data']],
    ['failed', 'refunded', 'provider_failed', inProgress],
  ] as const;
  for (const [status, billing, reason, keys] of shapes) {
    test(`${status}: ${billing}, and exactly its fields`, async () => {
      const { account, id, path } = await taskThatIs(status);
      const { status: http, headers, body } = await account.client.get(path);
      assert.equal(http, 200);
      assert.deepEqual(Object.keys(body), [...keys]);
      const task = TaskStatusResponse.parse(body);
      const expected = { id, status, model: 'vidgen-2-0-mini', credits: 5 };
      const billed = { billing_status: billing, failed_reason: reason };
      assert.partialDeepStrictEqual(task, { ...expected, ...billed });
      assert(Math.abs(task.created_at - Date.now() / 1000) < 600, 'Unix seconds');
      assert.equal(headers.get('retry-after'), billing === 'reserved' ? '10' : null);
      assert.match(headers.get('x-request-id') ?? '', /^req_/);
    });
  }

  test('completed: data has exactly its fields', async () => {
    const { account, id } = await taskThatIs('completed');
    const { data } = await account.client.task(id);
    const keys = ['results', 'video_expires_at', 'last_frame_url', 'processing_time'];
    assert.deepEqual(Object.keys(data!), keys);
    assert.equal(data!.results.length, 1);
    assert.match(data!.video_expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(data!.last_frame_url, null);
    assert(Number.isInteger(data!.processing_time));
  });
});

describe('authorization', () => {
  test('accepts any key of the account with tasks:read, in either mode', async () => {
    const { account, path } = await taskThatIs('completed');
    const testing = await account.otherClient({ mode: 'test', permissions: ['tasks:read'] });
    assert.equal((await testing.get(path)).status, 200);
    const creator = await account.otherClient({ permissions: ['videos:create'] });
    assertApiError(await creator.get(path), 'forbidden');
    assert.deepEqual((await testing.get('/v1/tasks')).body.items, [], 'lists show their own mode');
  });

  test('another account gets the same error as for a malformed or very long id', async () => {
    const { id } = await taskThatIs('completed');
    const { client } = await journey.service.account();
    const unknown = 'task_00000000000000000000000000';
    const malformed = [
      id.toUpperCase(),
      `${id} `,
      `${id}%00`,
      '%2e%2e%2fadmin',
      'a'.repeat(10_000),
    ];
    for (const one of [id, unknown, ...malformed]) {
      const response = await client.get(`/v1/tasks/${one}`);
      assertApiError(response, 'not_found', /^No (task|resource) found with this ID/);
    }
  });
});

describe('?wait=', () => {
  test('responds when the status changes', async () => {
    const { account, path, id } = await taskThatIs('generating');
    const arrived = once(journey.service.parts.api!.server, 'request');
    const waiting = account.client.get(`${path}?wait=60`);
    await arrived;
    assert.equal((await account.client.post(`/v1/tasks/${id}/cancel`)).status, 200);
    const { body, headers } = await waiting;
    assert.deepEqual([body.status, body.failed_reason], ['failed', 'cancelled']);
    assert.equal(headers.get('retry-after'), null);
  });

  test('responds unchanged after the given seconds, and at once for a final task', async () => {
    const { account, path } = await taskThatIs('generating');
    const startedMs = Date.now();
    const { status, body } = await account.client.get(`${path}?wait=1`);
    assert.deepEqual([status, body.status], [200, 'generating']);
    assert(Date.now() - startedMs >= 950);
    const final = await taskThatIs('completed');
    const response = await final.account.client.get(`${final.path}?wait=60`);
    assert.equal(response.body.status, 'completed');
  });

  test('until=final responds when the task is final, not at other changes', async () => {
    const input = { prompt: 'generating' };
    const { client, taskId, reach } = await createTask(journey.service, { input });
    const waiting = client.get(`/v1/tasks/${taskId}?until=final`);
    await reach('generating');
    assert.equal((await client.post(`/v1/tasks/${taskId}/cancel`)).status, 200);
    const { body } = await waiting;
    assert.deepEqual([body.status, body.failed_reason], ['failed', 'cancelled']);
  });

  test('until=final responds after `wait` seconds, and at once for a final task', async () => {
    const { account, path } = await taskThatIs('generating');
    for (const query of ['until=final&wait=0', 'until=final&wait=1', 'until=change']) {
      assert.equal((await account.client.get(`${path}?${query}`)).body.status, 'generating', query);
    }
    const final = await taskThatIs('completed');
    const response = await final.account.client.get(`${final.path}?until=final`);
    assert.equal(response.body.status, 'completed');
  });

  for (const until of ['', 'Final', 'completed', 'final&until=final']) {
    test(`until=${until} is rejected`, async () => {
      const { client } = await journey.service.account();
      const response = await client.get(`/v1/tasks/task_00000000000000000000000000?until=${until}`);
      assertApiError(response, 'invalid_request', /^until must be /);
    });
  }

  const invalid = ['', '-1', '61', '1.5', '1e1', 'x', '0x10', '%20', '1&wait=2', '9'.repeat(400)];
  for (const wait of invalid) {
    test(`wait=${wait.slice(0, 20)} is rejected`, async () => {
      const { client } = await journey.service.account();
      const response = await client.get(`/v1/tasks/task_00000000000000000000000000?wait=${wait}`);
      assertApiError(response, 'invalid_request', /^wait must be /);
    });
  }

  test('0 does not wait, and unknown parameters are ignored', async () => {
    const { account, path } = await taskThatIs('generating');
    for (const query of ['wait=0', 'wait=00', 'utm_source=x&utm_source=y', 'Wait=x']) {
      const response = await account.client.get(`${path}?${query}`);
      assert.equal(response.body.status, 'generating');
    }
  });

  test('waiting clients get a response when the service stops', async () => {
    const own = await startJourney({
      script: { status: [pending] },
    });
    const { client, key } = await own.service.account({ live: 100 });
    const { body } = await client.create(textToVideo);
    const arrived = once(own.service.parts.api!.server, 'request');
    const socket = await openSocket(own.service.url);
    const received = text(socket);
    socket.write(
      `GET /v1/tasks/${body.taskId}?wait=60 HTTP/1.1\r\nHost: a\r\n` +
        `Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
    await arrived;
    // Answered after the waiting request was read.
    await client.task(String(body.taskId));
    await own.close();
    const [response] = parseResponses(await received) as { status: number; body: { id: string } }[];
    assert.deepEqual([response?.status, response?.body.id], [200, body.taskId]);
  });
});

describe('a key that is revoked while a request waits gets 401', () => {
  /** The response must come before one that waits for `seconds` from the revocation. */
  async function waitDuring(seconds: number, revoke: (keyId: string) => Promise<unknown>) {
    const revoked = await taskThatIs('queued');
    const other = await taskThatIs('queued');
    const arrived = once(journey.service.parts.api!.server, 'request');
    const waiting = revoked.account.client.get(`${revoked.path}?wait=30`);
    await arrived;
    await revoke(revoked.account.keyId);
    const later = other.account.client.get(`${other.path}?wait=${seconds}`);
    assertApiError(await Promise.race([waiting, later]), 'invalid_api_key');
    await later;
  }

  test('at once', () =>
    waitDuring(4, (keyId) => journey.service.admin.send('DELETE', `/admin/keys/${keyId}`)));

  test('some seconds later without a notification', () =>
    waitDuring(8, (keyId) =>
      journey.service.db.query('update api_keys set revoked_at = now() where id = $1', [keyId]),
    ));
});
