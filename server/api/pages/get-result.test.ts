/**
 * A signed URL opens one file of a result or an upload, until it expires; no changed URL opens
 * anything.
 */
import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { resultFramePath } from '../../../proof/kit/result-server.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { unixSeconds } from '../../process/clock.ts';
import { signParts, signUrl } from '../../storage/signed-url.ts';

const renderer = fileURLToPath(new URL('../../../proof/kit/fake-renderer.ts', import.meta.url));

const withoutOrigin = (url: string) => url.slice(new URL(url).origin.length);

const journey = await useJourney({ script: { status: ['completed'] }, renderer });
const { service } = journey;
const secret = deriveKey(service.parts.secret, 'result addresses').toString('base64url');
const live = await service.account({ live: 100 });
const tester = await service.account({ test: 100, mode: 'test' });
const made = async ({ client }: typeof live) =>
  withoutOrigin((await client.run(textToVideo)).data!.results[0]!);
const { url } = await live.client.upload(await readFile(resultFramePath));
/** Path and query of each. `other` belongs to another task, `tried` to a test key. */
const files = {
  result: await made(live),
  other: await made(live),
  tried: await made(tester),
  upload: withoutOrigin(url),
};

/** By hand, so that no client normalizes the path. */
async function statusOf(path: string): Promise<number> {
  const socket = await openSocket(journey.service.url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  const received = (await buffer(socket)).toString('latin1');
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
}

const kinds = ['result', 'tried', 'upload'] as const;
/** The same letter in the other case at every other place, and a digit elsewhere. */
function another(character: string, at: number): string {
  const lower = character.toLowerCase();
  const turned = character === lower ? character.toUpperCase() : lower;
  if (at % 2 === 0 && turned !== character) return turned;
  return character === '1' ? '2' : '1';
}

const queryOf = (path: string) => path.slice(path.indexOf('?'));

describe('a signed URL', () => {
  for (const kind of kinds) {
    test(`of the ${kind} opens the file`, async () => {
      assert.equal(await statusOf(files[kind]), 200);
    });

    if (kind === 'tried') continue;
    test(`of the ${kind} with one character changed opens nothing`, async () => {
      const path = files[kind];
      const opened: string[] = [];
      for (let at = 1; at < path.length; at++) {
        const changed = path.slice(0, at) + another(path[at]!, at) + path.slice(at + 1);
        if ((await statusOf(changed)) !== 404) opened.push(changed);
      }
      assert.deepEqual(opened, []);
    });
  }

  test('with the signature of another task, mode or kind opens nothing', async () => {
    for (const of of Object.values(files)) {
      for (const by of Object.values(files)) {
        const mixed = of.split('?')[0]! + queryOf(by);
        assert.equal(await statusOf(mixed), of === by ? 200 : 404, mixed);
      }
    }
  });
});

/** What a signature would allow if the checks behind it failed. */
const ways = [
  '..',
  '../admin-token',
  '../../admin-token',
  '../../../admin-token',
  '..\\..\\admin-token',
  '/etc/passwd',
  '....//admin-token',
  '%2e%2e%2fadmin-token',
  'video.mp4/../../../../admin-token',
  'file:///etc/passwd',
  'C:\\admin-token',
  '.',
  '~',
];

test('even a valid signature does not lead out of the folder', async () => {
  const { home } = journey.service;
  await writeFile(join(home, 'admin-token'), 'what nobody may read');
  const expires = unixSeconds() + 60;
  const taskId = files.result.split('/')[2]!;
  for (const way of ways) {
    const common = { publicUrl: '', secret, expiresAt: new Date(expires * 1000) };
    const result = signUrl({ ...common, taskId, name: way });
    const task = signUrl({ ...common, taskId: way, name: 'video.mp4' });
    const signature = signParts(secret, ['upload address', way, String(expires)]);
    const upload = `/uploads/${encodeURIComponent(way)}?expires=${expires}&signature=${signature}`;
    for (const path of [result, task, upload]) assert.equal(await statusOf(path), 404, path);
  }
});

test('a symbolic link in place of a file or its folder is not followed', async () => {
  const folder = join(journey.service.home, 'results');
  const secretFile = join(journey.service.home, 'elsewhere.mp4');
  await writeFile(secretFile, 'what nobody may read');
  const task = join(folder, files.other.split('/')[2]!);
  const [attempt] = await readdir(task);
  const [name] = await readdir(join(task, attempt!));
  const video = join(task, attempt!, name!);
  await rename(video, `${video}.kept`);
  await symlink(secretFile, video);
  assert.equal(await statusOf(files.other), 404);
  await rm(video);
  await rename(`${video}.kept`, video);
  assert.equal(await statusOf(files.other), 200);

  await rename(task, `${task}_moved`);
  await symlink(`${task}_moved`, task);
  assert.equal(await statusOf(files.other), 404);
});
