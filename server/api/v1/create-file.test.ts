/**
 * Files with an API key over HTTP, on an installation that may not reach private addresses: raw or
 * in a form, limited like uploads of the dashboard, and usable as materials by URL.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { UploadedFile } from '@vidgen/contract/files.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { assertFilesAdded } from '../../../proof/kit/assert-files-added.ts';
import { imageToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { openSocket, parseResponses } from '../../../proof/kit/raw-http.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { readChunks } from '../files/receive-file.ts';

const image = await readFile(resultFramePath);
const { service } = await useJourney({
  environment: {
    VIDGEN_ALLOWED_NETWORKS: '',
    VIDGEN_MATERIALS: 'strict',
    VIDGEN_IMAGE_MEGABYTES: '1',
    VIDGEN_AUDIO_MEGABYTES: '2',
    VIDGEN_VIDEO_MEGABYTES: '3',
  },
});
const { lifecycle } = service.parts;
const account = await service.account({ live: 1000 });

async function post(body: BodyInit, headers: Record<string, string> = {}, key = account.key) {
  const response = await fetch(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
    duplex: 'half',
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function uploaded(...sent: Parameters<typeof post>): Promise<UploadedFile> {
  const { status, body } = await post(...sent);
  assert.equal(status, 200, JSON.stringify(body));
  return UploadedFile.parse(body);
}

const formOf = (parts: Readonly<Record<string, string | Blob>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  return form;
};
const file = new Blob([image], { type: 'image/jpeg' });

const assertLeavesNoFile = (run: () => Promise<unknown>) => assertFilesAdded(service, 0, run);

describe('a file', () => {
  for (const [how, body] of [
    ['as raw bytes', image],
    ['in a form', formOf({ file })],
    ['in a form with other fields', formOf({ purpose: 'vision', file, more: 'text' })],
  ] as const) {
    test(`is stored ${how} and can be used as a material`, async () => {
      const { id, url, content_type, bytes, expires_at } = await uploaded(body);
      assert.match(id, /^file_[0-9a-f]{32}$/);
      assert.deepEqual([content_type, bytes], ['image/jpeg', image.length]);
      assert(Math.abs(expires_at - Date.now() / 1000 - 48 * 3600) < 60);
      assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), image);
      const created = await account.client.create(imageToVideo(url));
      assert.equal(created.status, 200, JSON.stringify(created.body));
    });
  }

  test('of another format is rejected, raw and in a form', async () => {
    const page = '<!doctype html><script>alert(1)</script>';
    const message = /^Unsupported file type \(it is /;
    await assertLeavesNoFile(async () => {
      assertApiError(await post(page, { 'content-type': 'image/png' }), 'invalid_request', message);
      const form = formOf({ file: new Blob([page], { type: 'image/png' }) });
      assertApiError(await post(form), 'invalid_request', message);
      assertApiError(await post(new Uint8Array()), 'invalid_request', 'The file is empty.');
    });
  });

  test('above the limit of its kind is rejected with the figure', async () => {
    const long = Buffer.concat([image, Buffer.alloc(1024 ** 2)]);
    const longer = Buffer.concat([image, Buffer.alloc(5 * 1024 ** 2)]);
    await assertLeavesNoFile(async () => {
      const message = 'An image must be at most 1 MiB.';
      assertApiError(await post(long), 'invalid_request', message);
      assertApiError(await post(new Blob([long]).stream()), 'invalid_request', message);
      assertApiError(await post(formOf({ file: new Blob([long]) })), 'invalid_request', message);
      const anyKind = 'A file must be at most 3 MiB.';
      assertApiError(await post(longer), 'invalid_request', anyKind);
      assertApiError(await post(formOf({ file: new Blob([longer]) })), 'invalid_request', anyKind);
    });
  });

  test('is judged before the rest of it has arrived', async () => {
    for (const [start, message] of [
      [Buffer.from(`<!doctype html>${' '.repeat(2000)}`), /Unsupported file type/],
      [Buffer.concat([image, Buffer.alloc(1024 ** 2)]), /An image must be at most 1 MiB/],
    ] as const) {
      const socket = await openSocket(service.url);
      socket.write(
        `POST /v1/files HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${account.key}\r\n` +
          `Content-Type: image/jpeg\r\nContent-Length: ${2.5 * 1024 ** 2}\r\n\r\n`,
      );
      socket.write(start);
      const [data] = await once(socket, 'data');
      const [response] = parseResponses(String(data));
      assertApiError(response!, 'invalid_request', message);
      socket.destroy();
    }
  });
});

describe('a form', () => {
  const twice = formOf({ file });
  twice.append('file', file);
  for (const [what, form] of [
    ['without a file', formOf({ purpose: 'vision' })],
    ['with a file of another name', formOf({ image: file })],
    ['with text instead of a file', formOf({ file: 'text' })],
    ['with two files', twice],
  ] as const) {
    test(`${what} is rejected and leaves no file`, () =>
      assertLeavesNoFile(async () => {
        const message = /^The form must have one file, in the field file/;
        assertApiError(await post(form), 'invalid_request', message);
      }));
  }
});

describe('the right to send files', () => {
  test('is the permission to create videos', async () => {
    const reader = await service.account({ permissions: ['tasks:read'] });
    assertApiError(await post(image, {}, reader.key), 'forbidden');
    assertApiError(await post(image, {}, 'vg_live_x'), 'invalid_api_key');
  });
});

test('files that arrive with one key keep no other key of the account waiting', async (t) => {
  const { id, key } = await service.account();
  const { body } = await service.admin.post(`/admin/accounts/${id}/keys`, {
    name: 'Second',
    mode: 'live',
  });
  const begun = `POST /v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  for (let sent = 0; sent < 5; sent++) {
    const socket = await openSocket(service.url);
    t.after(() => socket.destroy());
    socket.write(`${begun}Content-Length: 900000\r\n\r\n`);
    socket.write(image.subarray(0, 5000));
  }
  const received = () => readdir(lifecycle.settings.tempFolder).catch(() => []);
  while ((await received()).length < 4) await new Promise(setImmediate);
  await uploaded(image, {}, body.key as string);
});

test('a body that arrives too slowly is given up', async () => {
  const body = new PassThrough();
  body.write('x');
  const rate = { bytesPerSecondMin: 1000, stallMsMax: 50 };
  await assert.rejects(Array.fromAsync(readChunks(body, { rate })), /too slowly/);
});
