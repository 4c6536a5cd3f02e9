/**
 * Uploads and images of tasks over HTTP, on an installation that may not reach private addresses:
 * its own uploads work as materials. That no other file of this machine does is proved by
 * `storage/uploads.test.ts`, and what a file must be by `v1/create-file.test.ts`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import { Upload } from '@vidgen/contract/playground.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import type { RendererOutput } from '../../../proof/kit/fake-renderer.ts';
import { imageToVideo, startJourney, useJourney } from '../../../proof/kit/journey.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { startMediaServer } from '../../../proof/kit/media-server.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { repeatWhileBusy } from '../../../proof/kit/service.ts';

const renderer = fileURLToPath(new URL('../../../proof/kit/fake-renderer.ts', import.meta.url));

const image = await readFile(resultFramePath);
const journey = await useJourney({
  renderer,
  environment: {
    VIDGEN_ALLOWED_NETWORKS: '',
    VIDGEN_MATERIALS: 'strict',
  },
});
const tester = await journey.service.account({ live: 1000, test: 1000, mode: 'test' });
const accountId = tester.id;
const developer = await newMember(journey.service, { accountId, role: 'developer' });
const viewer = await newMember(journey.service, { accountId, role: 'viewer' });
const uploads = `/admin/accounts/${accountId}/uploads`;

const uploaded = async (bytes: Uint8Array, type = 'image/jpeg') => {
  const { status, body } = await developer.send('POST', uploads, bytes, { 'content-type': type });
  assert.equal(status, 201, JSON.stringify(body));
  return Upload.parse(body);
};

const create = (body: unknown) =>
  repeatWhileBusy(() => developer.post(`/admin/accounts/${accountId}/generations?mode=live`, body));

/** Sends the head of an upload on a new connection. */
function startUpload(bytes: number) {
  const socket = connect(Number(new URL(journey.service.url).port), '127.0.0.1');
  socket.write(
    `POST ${uploads} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${developer.cookie()}\r\n` +
      'Sec-Fetch-Site: same-origin\r\nContent-Type: image/jpeg\r\n' +
      `Content-Length: ${bytes}\r\n\r\n`,
  );
  return socket;
}

describe('an upload', () => {
  test('may take longer to arrive than other requests', async () => {
    const server = journey.service.parts.api!.server;
    const { requestTimeout, headersTimeout } = server;
    Object.assign(server, { requestTimeout: 300, headersTimeout: 300 });
    try {
      const socket = startUpload(image.length);
      socket.write(image.subarray(0, 100));
      const [error] = await once(server, 'clientError');
      assert.equal((error as { code: string }).code, 'ERR_HTTP_REQUEST_TIMEOUT');
      socket.write(image.subarray(100));
      const [response] = await once(socket, 'data');
      assert.match(String(response), /^HTTP\/1\.1 201 /);
      socket.destroy();
    } finally {
      Object.assign(server, { requestTimeout, headersTimeout });
    }
  });

  test('an aborted upload leaves no file', async () => {
    const socket = startUpload(image.length + 5000);
    socket.write(image);
    const folder = journey.service.parts.lifecycle.settings.tempFolder;
    while ((await readdir(folder)).length === 0) await new Promise((done) => setImmediate(done));
    socket.destroy();
    while ((await readdir(folder)).length > 0) await new Promise((done) => setImmediate(done));
  });
});

describe('as a material', () => {
  test('is probed, sent to the provider and shown, without network access', async () => {
    const { url } = await uploaded(image);
    const { status, body } = await create(imageToVideo(url));
    assert.equal(status, 200, JSON.stringify(body));
    const path = `/admin/tasks/${body.taskId}`;
    const task = AdminTaskDetail.parse((await developer.get(path)).body);
    assert.deepEqual(task.request.input.image_urls, [url]);
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const shown = await fetch(`${journey.service.url}${path}/materials/images/1`, {
      headers: { cookie: viewer.cookie()! },
    });
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get('content-type'), 'image/jpeg');
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
    assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'; sandbox/);
    assert.match(shown.headers.get('cache-control') ?? '', /^private/);
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()), image);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });

  test('reaches the preview renderer', async () => {
    const { url } = await uploaded(image);
    const path = `/admin/accounts/${accountId}/generations?mode=test`;
    const { status, body } = await developer.post(path, imageToVideo(url));
    assert.equal(status, 200, JSON.stringify(body));
    const { data } = await tester.client.final(String(body.taskId));
    const { job } = (await (await fetch(data!.results[0]!)).json()) as RendererOutput;
    assert.deepEqual(
      job.materials.map(({ file }) => file !== null),
      [true],
    );
  });
});

describe('an image of a task', async () => {
  const hosts = await startMediaServer();
  const open = await startJourney({ environment: { VIDGEN_ROLE: 'api' } });
  after(async () => {
    await open.close();
    await hosts.close();
  });

  /** A task whose material was an image when it was created. */
  async function taskWith(name: string) {
    const imageUrl = hosts.serve(name, image);
    const account = await open.service.account({ live: 100 });
    const { body } = await account.client.create(imageToVideo(imageUrl));
    const guest = await newMember(open.service, { accountId: account.id, role: 'viewer' });
    const path = `/admin/tasks/${body.taskId}/materials`;
    return { get: (rest: string) => guest.get(`${path}/${rest}`), accountId: account.id };
  }

  test('is typed by its bytes, and not shown if the URL no longer has an image', async () => {
    const { get } = await taskWith('changed');
    assert.equal((await get('images/1')).headers.get('content-type'), 'image/jpeg');
    const page = Buffer.from('<!doctype html><script>alert(1)</script>');
    hosts.serve('changed', { bytes: page, headers: { 'content-type': 'image/png' } });
    assertApiError(await get('images/1'), 'not_found');
    hosts.serve('changed', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    assertApiError(await get('images/1'), 'not_found');
    hosts.serve('changed', (_request, response) => void response.writeHead(500).end());
    assertApiError(await get('images/1'), 'not_found');
    hosts.serve('changed', (_request, response) => void response.destroy());
    assertApiError(await get('images/1'), 'not_found');
  });

  test('can be a video, twenty times a minute, and then only a video', async () => {
    const bytes = await makeMedia({ format: 'mp4', video: 'libx264', seconds: 3 });
    const account = await open.service.account({ live: 100 });
    const input = { prompt: 'A boat', generation_type: 'reference-to-video', duration: 4 };
    const { body } = await account.client.create({
      model: 'vidgen-2-5',
      input: { ...input, resolution: '480p', video_urls: [hosts.serve('clip', bytes)] },
    });
    const guest = await newMember(open.service, { accountId: account.id, role: 'viewer' });
    const get = () => guest.get(`/admin/tasks/${body.taskId}/materials/videos/1`);
    const { headers } = await get();
    assert.equal(headers.get('content-type'), 'video/mp4');
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
    hosts.serve('clip', image);
    for (let request = 2; request <= 20; request++) assertApiError(await get(), 'not_found');
    assertApiError(await get(), 'rate_limited');
  });

  test('is not found for another number or another list', async () => {
    const { get } = await taskWith('one');
    for (const rest of ['images/2', 'images/0', 'images/x', 'images/1e0', 'videos/1']) {
      assertApiError(await get(rest), 'not_found');
    }
  });
});
