/**
 * An edit is made for the length that was paid for, whatever its URL serves later.
 *
 * Thorough: writes and measures videos; `server/materials` is tested in every run.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertApiError } from '../kit/assert-api-error.ts';
import {
  withEdits,
  withFragments,
  withHiddenClusters,
  withHiddenFragments,
} from '../kit/hostile-timing.ts';
import { balanceOf, type Journey, startJourney } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { type MediaServer, startMediaServer } from '../kit/media-server.ts';
import type { StatusStep } from '../kit/scripted-provider.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

let journey: Journey;
let server: MediaServer;
let [short, long]: Buffer[] = [];
/** What the provider waits for before it finishes a task. */
let isFetched: Promise<unknown> = Promise.resolve();
/** What the provider makes. */
let result: StatusStep = 'completed';
before(async () => {
  server = await startMediaServer();
  const video = { format: 'mp4', video: 'mpeg4', options: { movflags: '+faststart' } } as const;
  short = await makeMedia({ ...video, seconds: 4 });
  long = await makeMedia({ ...video, seconds: 28 });
  journey = await startJourney({
    script: () => ({ status: [{ step: result, until: isFetched }] }),
    environment: { VIDGEN_PUBLIC_URL: 'https://videos.example.com' },
  });
});
after(async () => {
  await journey.close();
  await server.close();
});

const edit = (url: string) => ({
  model: 'vidgen-2-5',
  input: {
    prompt: 'Make it night',
    generation_type: 'reference-to-video',
    resolution: '480p',
    duration: -1,
    video_urls: [url],
  },
});

const startedWith = (taskId: string) =>
  journey.provider.calls.find(({ start }) => start?.taskId === taskId)?.start;

test('a provider gets a copy of the source that was measured', async () => {
  const { client } = await journey.service.account({ live: 1_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  isFetched = promise;
  const { body } = await client.create(edit(server.serve('honest', short!)));
  // 480p with a video: 6 credits per second.
  assert.equal(body.credits, 24);
  await journey.provider.waitForCall('status');
  const [copy = ''] = startedWith(body.taskId as string)?.generation.videoUrls ?? [];
  assert.ok(copy.startsWith(`${journey.service.url}/uploads/`), copy);
  const served = Buffer.from(await (await fetch(copy)).arrayBuffer());
  assert.ok(served.equals(short!));
  resolve();
  assert.equal((await client.final(body.taskId as string)).status, 'completed');
  // Deleted right after the commit that ends the task.
  await waitUntil(async () => (await fetch(copy)).status === 404);
});

test('a result longer than what was priced is delivered, and shown to the operator', async () => {
  const account = await journey.service.account({ live: 1_000 });
  const folder = makeTemporaryFolder('long-result');
  const file = join(folder, 'long.mp4');
  await writeFile(file, long!);
  result = { outcome: 'completed', video: { file } };
  const task = await account.client.run(edit(server.serve('short', short!)));
  result = 'completed';
  assert.deepEqual([task.status, task.credits], ['completed', 24]);
  const { body: seen } = await journey.service.admin.get(`/admin/tasks/${task.id}`);
  const [attempt] = seen.attempts as { output_seconds: number; loss: string }[];
  assert.equal(attempt!.output_seconds, 28);
  assert.equal(attempt!.loss, 'the video is 28.0 s long; 4 s were priced');
});

test('a source that became longer is not sent, and the credits are refunded', async () => {
  const account = await journey.service.account({ live: 1_000 });
  // The probe of the create asks for ranges; everyone else gets the long video.
  const url = server.serve('swapped', (request, response) => {
    const isProbe = request.headers.range !== undefined;
    response.end(isProbe ? short : long);
  });
  const { body } = await account.client.create(edit(url));
  assert.equal(body.credits, 24);
  const task = await account.client.final(body.taskId as string);
  assert.deepEqual([task.status, task.failed_reason], ['failed', 'material_unavailable']);
  assert.equal(startedWith(body.taskId as string), undefined);
  assert.equal((await balanceOf(journey.service, account.id)).live.available, 1_000);
  await journey.service.assertInvariants();
});

test('a length that only the header gives costs 30 seconds', async () => {
  const { client } = await journey.service.account({ live: 1_000 });
  // The index comes first, so that the header is complete long before the last sample.
  const options = { cluster_time_limit: 200, reserve_index_space: 20_000 };
  const tracks = { video: 'mpeg4', audio: 'pcm_s16le' } as const;
  const bytes = await makeMedia({ format: 'matroska', ...tracks, seconds: 4, options });
  const url = server.serve('header only', (request, response) => {
    const [, start = '0', end = '0'] =
      /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (Number(start) > 0) return void response.writeHead(503).end();
    const part = bytes.subarray(0, Number(end) + 1);
    const range = `bytes 0-${part.length - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-range': range }).end(part);
  });
  const { body } = await client.create(edit(url));
  assert.equal(body.credits, 180);
});

test('a video that players show for longer than its samples costs 30 seconds', async () => {
  const { client } = await journey.service.account({ live: 1_000 });
  const video = { format: 'mp4', video: 'mpeg4' } as const;
  const movflags = '+frag_keyframe+empty_moov+default_base_moof';
  const indexLast = await makeMedia({ ...video, audio: 'aac', seconds: 4 });
  const fragments = await makeMedia({ ...video, seconds: 28, options: { movflags } });
  const twoSeconds = { movflags: '+empty_moov+default_base_moof', frag_duration: 2_000_000 };
  const parts = await makeMedia({ ...video, seconds: 28, options: twoSeconds });
  const options = { live: 1, cluster_time_limit: 2_000 };
  const live = await makeMedia({ format: 'webm', video: 'libvpx', seconds: 28, options });
  const files = {
    repeated: withEdits(indexLast, Array(6).fill({ seconds: 4 })),
    delayed: withEdits(indexLast, [{ seconds: 26, from: -1 }, { seconds: 4 }]),
    continued: withFragments(indexLast, fragments),
    'continued in a box': withHiddenFragments(parts, 'udta'),
    'continued in an element': withHiddenClusters(live),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { body } = await client.create(edit(server.serve(name, bytes)));
    assert.equal(body.credits, 180, `${name}: ${JSON.stringify(body)}`);
  }
});

test('without a public URL, an upstream that fetches materials itself edits nothing', async () => {
  await using local = await startJourney({ script: { status: ['completed'] } });
  const { client } = await local.service.account({ live: 1_000 });
  const request = edit(server.serve('local', short!));
  const refused = /^input\.duration -1 \(editing\) needs VIDGEN_PUBLIC_URL, /;
  assertApiError(await client.create(request), 'invalid_request', refused);
  const { body } = await client.create({ ...request, input: { ...request.input, duration: 5 } });
  assert.equal((await client.final(body.taskId as string)).status, 'completed');
});
