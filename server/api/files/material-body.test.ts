/**
 * Bodies with files over HTTP: data URIs are accepted wherever create and estimate accept a URL,
 * and only a task that was created leaves its files behind.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { z } from 'zod';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { assertFilesAdded } from '../../../proof/kit/assert-files-added.ts';
import { imageToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import { openKeyCache } from '../../accounts/keys/key-cache.ts';
import { unixSeconds } from '../../process/clock.ts';
import { createUploads } from '../../storage/uploads.ts';
import { createApi } from '../http/api.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';
import { openMaterialBody } from './material-body.ts';

const image = await readFile(resultFramePath);
const { service } = await useJourney({
  environment: {
    VIDGEN_ALLOWED_NETWORKS: '',
    VIDGEN_MATERIALS: 'strict',
    VIDGEN_IMAGE_MEGABYTES: '2',
    VIDGEN_RATE_CREATE: '0',
  },
});
const { lifecycle, secret } = service.parts;
const uploads = createUploads({
  storage: lifecycle.storage,
  secret: deriveKey(secret, 'result addresses').toString('base64url'),
  publicUrl: () => service.url,
  nowSeconds: unixSeconds,
});
const account = await service.account({ live: 1000 });

const dataUri = (bytes: Uint8Array, type = 'image/jpeg') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
/** The image with bytes behind it that no decoder reads. */
const imageWith = (text: string) => Buffer.concat([image, Buffer.from(text)]);

const assertAdded = (count: number, run: () => Promise<unknown>) =>
  assertFilesAdded(service, count, run);

describe('a create with data URIs', () => {
  test('stores them and sends their URLs to the provider', async () => {
    const second = imageWith('second');
    await assertAdded(2, async () => {
      const { status, body } = await account.client.create(
        imageToVideo(dataUri(image), dataUri(second)),
      );
      assert.equal(status, 200, JSON.stringify(body));
      await account.client.final(String(body.taskId));
      const { body: task } = await service.admin.get(`/admin/tasks/${body.taskId}`);
      const urls = (task.request as { input: { image_urls: string[] } }).input.image_urls;
      for (const [at, content] of [image, second].entries()) {
        const response = await fetch(urls[at]!);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), content);
      }
    });
  });

  test('measures a video like one at any other URL', async () => {
    const video = await makeMedia({ format: 'mp4', video: 'mpeg4', seconds: 1 });
    const input = {
      prompt: 'The boat turns into a swan',
      generation_type: 'reference-to-video',
      resolution: '480p',
      video_urls: [dataUri(video, 'video/mp4')],
    };
    await assertAdded(0, async () =>
      assertApiError(
        await account.client.create({ model: 'vidgen-2-5', input }),
        'invalid_request',
        /video_urls\[0\] is 1 s long/,
      ),
    );
  });

  test('may be larger than other bodies, up to 64 MiB', async () => {
    const large = imageWith('x'.repeat(1.4 * 1024 ** 2));
    const body = JSON.stringify(imageToVideo(dataUri(large), dataUri(large)));
    assert(body.length > 3 * 1024 ** 2);
    const { status } = await account.client.create(body);
    assert.equal(status, 200);
    const text = imageToVideo(dataUri(image), 'x'.repeat(1024 ** 2));
    const beside = 'The body must be at most 1 MiB beside its data URIs.';
    const plain = 'The body must be at most 1 MiB.';
    const huge = ' '.repeat(65 * 1024 ** 2);
    await assertAdded(0, async () => {
      assertApiError(await account.client.create(text), 'invalid_request', beside);
      const long = imageToVideo('x'.repeat(1024 ** 2));
      assertApiError(await account.client.create(long), 'invalid_request', plain);
      const most = 'The body must be at most 64 MiB.';
      assertApiError(await account.client.create(huge), 'invalid_request', most);
    });
  });

  test('names the field of a file that is wrong', async () => {
    const page = Buffer.from('<!doctype html><p>Hello</p>');
    const tooLong = imageWith('x'.repeat(2 * 1024 ** 2));
    for (const [url, message] of [
      [dataUri(page), /^input\.image_urls\[1\] is not a supported file \(it is .*\); use JPEG/],
      [dataUri(tooLong), 'input.image_urls[1] must be at most 2 MiB (an image)'],
      ['data:image/png;base64,', 'input.image_urls[1] must not be empty'],
      ['data:image/png;base64,A', 'input.image_urls[1] is not valid base64'],
    ] as const) {
      await assertAdded(0, async () =>
        assertApiError(
          await account.client.create(imageToVideo(dataUri(image), url)),
          'invalid_request',
          message,
        ),
      );
    }
    const many = imageToVideo(...Array.from({ length: 70 }, () => dataUri(image)));
    await assertAdded(0, async () =>
      assertApiError(await account.client.create(many), 'invalid_request', /at most 64 files/),
    );
  });

  test('that is refused for any reason leaves no file', async () => {
    const poor = await service.account();
    await assertAdded(0, async () => {
      assertApiError(
        await poor.client.create(imageToVideo(dataUri(image))),
        'insufficient_credits',
      );
      const unknown = { ...imageToVideo(dataUri(image)), model: 'vidgen-9' };
      assertApiError(await account.client.create(unknown), 'invalid_request', /^model must/);
      assertApiError(
        await account.client.create(`[${JSON.stringify(dataUri(image))}`),
        'invalid_request',
        /not valid JSON/,
      );
    });
  });
});

describe('an Idempotency-Key', () => {
  const create = (key: string, bytes: Uint8Array) =>
    account.client.create(imageToVideo(dataUri(bytes)), { 'idempotency-key': key });

  test('with the same content is the same task, and keeps the files of the first', async () => {
    let first: unknown;
    await assertAdded(1, async () => {
      first = (await create('same', imageWith('a'))).body.taskId;
    });
    await assertAdded(0, async () => {
      const repeated = await Promise.all([
        create('same', imageWith('a')),
        create('same', imageWith('a')),
      ]);
      for (const { body } of repeated) assert.equal(body.taskId, first);
    });
  });

  test('with other content is another request', async () => {
    assert.equal((await create('other', imageWith('c'))).status, 200);
    await assertAdded(0, async () =>
      assertApiError(await create('other', imageWith('d')), 'invalid_request', /Idempotency-Key/),
    );
  });

  test('recognizes a file that was uploaded again', async () => {
    const asData = await create('uploaded', imageWith('e'));
    const headers = { 'idempotency-key': 'uploaded' };
    const urls = new Set<string>();
    for (const _ of ['first', 'again']) {
      const { url } = await account.client.upload(imageWith('e'));
      urls.add(url);
      const uploaded = await account.client.create(imageToVideo(url), headers);
      assert.equal(uploaded.body.taskId, asData.body.taskId);
    }
    assert.equal(urls.size, 2);
  });
});

test('an estimate with data URIs stores nothing, and takes no files of viewers', async () => {
  const accountId = account.id;
  const viewer = await newMember(service, { accountId, role: 'viewer' });
  const developer = await newMember(service, { accountId, role: 'developer' });
  await assertAdded(0, async () => {
    const path = '/v1/videos/generations/estimate';
    const { status, body } = await account.client.post(path, imageToVideo(dataUri(image)));
    assert.equal(status, 200, JSON.stringify(body));
    const estimate = `/admin/accounts/${accountId}/generations/estimate?mode=live`;
    const inPlayground = await developer.post(estimate, imageToVideo(dataUri(image)));
    assert.equal(inPlayground.status, 200, JSON.stringify(inPlayground.body));
    assert.equal(inPlayground.body.credits, body.credits);
    assertApiError(await viewer.post(estimate, imageToVideo(dataUri(image))), 'forbidden');
  });
});

describe('a form on an endpoint that takes forms', async () => {
  const stuck = endpoint({
    parsesItself: true,
    operationId: 'stuck',
    method: 'POST',
    path: '/v1/stuck',
    summary: 'Never answers',
    auth: 'key',
    permission: 'videos:create',
    body: z.object({}),
    materialBody: 'form',
    secondsMax: 0.1,
    responses: { 200: { description: 'Never.' } },
    handler: () => new Promise(() => {}),
  });
  const unlimited = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 };
  const limiter = { consume: () => unlimited, peek: () => unlimited };
  const keys = await openKeyCache(service.db, { pepper: keyPepper(secret) });
  const services = {
    lifecycle,
    uploads,
    keys,
    createLimiter: limiter,
    statusLimiter: limiter,
    accountLimits: { create: 0, status: 0 },
    materialBytesMax: { image: 1024 ** 2, video: 1024 ** 2, audio: 1024 ** 2 },
    publicUrl: () => service.url,
  } as unknown as ApiServices;
  const api = createApi(services, { routes: [stuck], openMaterialBody });
  await once(api.server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
  after(async () => {
    await api.close();
    await keys.close();
  });

  const send = (form: FormData, { port = new URL(service.url).port, path = '/v1/videos' } = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}` },
      body: form,
    });
  const videoForm = (reference: string | Blob) => {
    const form = new FormData();
    form.append('model', 'vidgen-2-0-mini');
    form.append('prompt', 'data:image/png;base64,AAAA');
    form.append('input_reference', reference);
    return form;
  };

  for (const [what, reference] of [
    ['a file', new Blob([image], { type: 'image/jpeg' })],
    ['a data URI in a text field', dataUri(image)],
  ] as const) {
    test(`may have ${what}, as which the handler sees a URL`, async () => {
      await assertAdded(1, async () => {
        const response = await send(videoForm(reference));
        assert.equal(response.status, 200);
        const { id, prompt } = (await response.json()) as { id: string; prompt: string };
        assert.equal(prompt, 'data:image/png;base64,AAAA', 'a prompt stays as it is');
        await account.client.final(id);
        const { body: task } = await service.admin.get(`/admin/tasks/${id}`);
        const [url] = (task.request as { input: { image_urls: string[] } }).input.image_urls;
        assert.deepEqual(Buffer.from(await (await fetch(url!)).arrayBuffer()), image);
      });
    });
  }

  test('frees its files and slots when the handler does not answer in time', async () => {
    const form = new FormData();
    form.append('file', new Blob([image]));
    await assertAdded(0, async () => {
      for (let sent = 0; sent < 6; sent++) {
        const { port } = api.server.address() as AddressInfo;
        assert.equal((await send(form, { port: String(port), path: '/v1/stuck' })).status, 500);
      }
    });
  });
});
