/**
 * Malicious files and hosts, sent through the whole service: each request is rejected, its task
 * fails and is refunded, or the file proves harmless. None crashes the process or takes 256 MiB
 * more than a valid file. Videos are of one second.
 * Thorough: renders dozens of videos.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { watchChildMemory } from '../kit/child-memory.ts';
import type { HostileFile } from '../kit/hostile-file.ts';
import { makeHostileMedia } from '../kit/hostile-media.ts';
import { balanceOf } from '../kit/journey.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { startService } from '../kit/service.ts';

const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
const mebibytesMore = 256;

const server = await startMediaServer();
const files = await makeHostileMedia();
const imageBytes = await readFile(resultFramePath);
const videoBytes = await makeMedia({ format: 'mp4', video: 'libx264', audio: 'aac', seconds: 5 });
// More than a probe reads, so that an endless file is not simply too large.
const environment = { VIDGEN_VIDEO_MEGABYTES: '20' };
const service = await startService({ environment, renderer });
const memory = watchChildMemory();
after(async () => {
  memory.stop();
  await service.close();
  await server.close();
});

type Account = Awaited<ReturnType<typeof service.account>>;

const request = (materials: Record<string, unknown>) => ({
  model: 'vidgen-2-5',
  input: {
    prompt: 'The boat turns into a swan',
    generation_type: 'reference-to-video',
    resolution: '480p',
    duration: 4,
    ...materials,
  },
});

/** A file that a busy machine never gave enough processor time to be judged; it costs nothing. */
const busy = '429';

/** Returns the 400 message or the end of the task. The billing must match in either case. */
async function send(account: Account, materials: Record<string, unknown>) {
  const { status, body } = await account.client.create(request(materials));
  if (status === 400) return `400 ${ErrorResponse.parse(body).error.message}`;
  if (status === 429) return busy;
  assert.equal(status, 200, JSON.stringify(body));
  const end = await account.client.final(String(body.taskId));
  const billing = end.status === 'completed' ? 'charged' : 'refunded';
  assert.equal(end.billing_status, billing);
  return end.status === 'completed' ? 'completed' : `failed ${end.failed_reason}`;
}

/** Sends the files from several accounts in parallel, one at a time each. */
async function sendAll(
  chosen: readonly HostileFile[],
  serve: (file: HostileFile, name: string) => string,
): Promise<Map<HostileFile, string>> {
  const ends = new Map<HostileFile, string>();
  const left = chosen.values();
  const accounts = await Promise.all([1, 2, 3, 4].map(() => service.account({ live: 100_000 })));
  await Promise.all(
    accounts.map(async (account) => {
      for (const file of left) {
        const url = serve(file, `${file.name} ${ends.size} ${account.id}`);
        ends.set(file, await send(account, { [`${file.kind}_urls`]: [url] }));
      }
    }),
  );
  for (const account of accounts) {
    assert.equal((await balanceOf(service, account.id)).live.reserved, 0);
  }
  await service.assertInvariants();
  return ends;
}

const isFailure = (end: string): boolean =>
  /^(400 input|failed (material|provider_failed))/.test(end);

/** Every nth item. */
const sample = <Item>(items: readonly Item[], every: number): Item[] =>
  items.filter((_, index) => index % every === 0);

/**
 * All files that only a renderer can judge, and samples of the others.
 * `materials/probe-material.test.ts` probes every rejected file; rendering valid ones takes the
 * most time and proves the least.
 */
function chosenFiles(): HostileFile[] {
  const filesWith = (pattern: RegExp) => files.filter(({ outcome }) => pattern.test(outcome));
  const others = filesWith(/^(?!refused|undecodable)/);
  return [...filesWith(/^undecodable/), ...sample(filesWith(/^refused/), 4), ...sample(others, 6)];
}

test('a valid request completes, and sets the memory baseline', async () => {
  const account = await service.account({ live: 1_000 });
  const image = server.serve('image', imageBytes);
  const video = server.serve('video', videoBytes);
  assert.equal(await send(account, { image_urls: [image], video_urls: [video] }), 'completed');
});

describe('files', () => {
  test('that are visible to the probe', async (t) => {
    const ends = await sendAll(chosenFiles(), ({ bytes }, name) => server.serve(name, bytes));
    for (const [{ name, kind, outcome }, end] of ends) {
      if (end === busy) continue;
      const what = `${name}: ${end}`;
      // On a busy machine the probe of a video may time out; then the renderer decides.
      if (outcome === 'refused' && kind === 'image') assert.match(end, /^400 input\./, what);
      else if (outcome === 'undecodable') assert.match(end, /^failed material_unavailable$/, what);
      else assert.ok(isFailure(end) || end === 'completed', what);
    }
    const failures = [...ends.values()].filter(isFailure).length;
    t.diagnostic(`${failures} of ${ends.size} refused or failed`);
    assert.ok(failures > ends.size / 2);
  });

  test('that are hidden until the renderer fetches them', async (t) => {
    const ends = await sendAll(sample(files, 16), ({ bytes }, name) => {
      let isLater = false;
      return server.serve(name, (_request, response) => {
        if (isLater) response.end(bytes);
        else response.writeHead(503).end();
        isLater = true;
      });
    });
    for (const [{ name, outcome }, end] of ends) {
      if (end === busy) continue;
      const what = `${name}: ${end}`;
      if (outcome === 'undecodable') assert.match(end, /^failed material_unavailable$/, what);
      else assert.ok(/^failed material/.test(end) || end === 'completed', what);
    }
    const failures = [...ends.values()].filter(isFailure).length;
    t.diagnostic(`${failures} of ${ends.size} failed`);
  });
});

test('no file took much more memory than a valid one', (t) => {
  for (const [program, processName] of [
    ['probing', 'duration-worker.ts'],
    ['rendering', 'one-second-renderer.ts'],
  ] as const) {
    const [first = 0, ...rest] = memory.peaksOf(processName);
    const most = Math.max(0, ...rest);
    t.diagnostic(`${program}: ${first.toFixed()} MiB at first, ${most.toFixed()} MiB at most`);
    if (process.platform === 'linux') assert.ok(first > 0, `${program} was not measured`);
    assert.ok(most <= first + mebibytesMore, `${program} took ${most} MiB instead of ${first} MiB`);
  }
});

test('the service still works', async () => {
  const account = await service.account({ live: 1_000 });
  const video = server.serve('video again', videoBytes);
  assert.equal(await send(account, { video_urls: [video] }), 'completed');
  await service.assertInvariants();
});
