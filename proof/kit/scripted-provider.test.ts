/** The scripted provider conforms with each protection, and follows its script. */
import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import { test } from 'node:test';
import type { Protection } from '../../server/providers/provider.ts';
import { describeConformance } from './conformance.ts';
import {
  type AdapterFixture,
  type StartFault,
  sampleStart,
  sampleStatus,
} from './conformance-fixture.ts';
import { resultVideoPath } from './result-server.ts';
import {
  createScriptedProvider,
  type Scripted,
  type StartStep,
  type StatusStep,
} from './scripted-provider.ts';

const noHttp = 'there is no wire';

for (const protection of ['idempotency-key', 'look-up', 'none'] as const) {
  describeConformance(`scripted, ${protection}`, {
    open: () => openFixture(protection),
    unsupported: {
      'start-html': noHttp,
      'status-html': noHttp,
      'status-types': noHttp,
      'status-garbage': noHttp,
      'status-error': noHttp,
      'status-throttled': noHttp,
      'status-slow': 'it waits for as long as the test says',
    },
  });
}

/** Implements the conformance switches by changing the script while a case runs. */
async function openFixture(protection: Protection): Promise<AdapterFixture> {
  const start: Scripted<StartStep>[] = ['accepted'];
  const status: Scripted<StatusStep>[] = ['pending'];
  const provider = createScriptedProvider({
    protection,
    script: { start, status },
  });
  const startFaults: Record<StartFault, StartStep> = {
    'response-lost': 'lost',
    'error-after-creating': 'lost',
    'error-without-creating': 'nothing',
    'no-response': 'lost',
    garbage: 'lost',
    html: 'nothing',
    'content-rejected': 'rejected',
    'input-refused': 'refused',
    'account-refused': 'refused',
    throttled: 'throttled',
    unreachable: 'throttled',
  };
  const upstreamStates = {
    running: 'pending',
    completed: 'completed',
    'completed-without-video': 'failed',
    failed: 'failed',
    'content-rejected': 'rejected',
    expired: 'timed_out',
    vanished: 'vanished',
    'unknown-status': 'paused',
  } as const;
  return {
    provider,
    failStart: (fault) => void start.unshift(startFaults[fault]),
    failStatus: () => undefined,
    setState: async (operation, state) => {
      status.splice(0, status.length, upstreamStates[state]);
      const started = provider.calls.find((call) => call.start)?.start;
      if (!['running', 'unknown-status'].includes(state) && started) {
        await provider.status(sampleStatus(operation, started));
      }
    },
    received: () => {
      const { generation } = provider.calls.findLast((call) => call.start)?.start ?? sampleStart();
      const frames = generation.generationType === 'image-to-video';
      return {
        prompt: generation.prompt,
        seed: generation.seed ?? undefined,
        durationSeconds: generation.duration,
        images: generation.imageUrls.map((url, index) => ({
          url,
          role: frames ? (index === 0 ? 'first' : 'last') : 'reference',
        })),
        videos: generation.videoUrls.map((url) => ({ url, role: 'reference' })),
        audios: generation.audioUrls.map((url) => ({ url, role: 'reference' })),
      };
    },
    generations: provider.generations,
    hasResult: () => true,
    close: async () => await provider.close?.(),
  };
}

test('a completed generation is a real file that the caller may delete', async () => {
  const provider = createScriptedProvider({
    script: { status: ['completed'] },
  });
  const start = sampleStart({ returnLastFrame: true });
  const accepted = await provider.start(start);
  assert.ok(accepted.outcome === 'accepted');
  for (const attempt of ['first', 'after the caller deleted it']) {
    const result = await provider.status(sampleStatus(accepted.operation, start));
    assert.ok(result.outcome === 'completed' && 'file' in result.video, attempt);
    assert.deepEqual(await readFile(result.video.file), await readFile(resultVideoPath));
    assert.ok(result.lastFrame && 'file' in result.lastFrame);
    assert.ok((await stat(result.lastFrame.file)).size > 0);
    await rm(result.video.file);
  }
});

test('a step waits for its promise, and the test can wait for the call', async () => {
  const gate = Promise.withResolvers<void>();
  const provider = createScriptedProvider({
    script: { start: [{ step: 'accepted', until: gate.promise }] },
  });
  const start = sampleStart();
  const result = provider.start(start);
  await provider.waitForCall('start');
  assert.equal(provider.generations(start.reference), 0);
  gate.resolve();
  assert.equal((await result).outcome, 'accepted');
  assert.equal(provider.generations(start.reference), 1);
});

test('each reference follows its own script and repeats its last step', async () => {
  const provider = createScriptedProvider({
    script: ({ generation }) =>
      generation.prompt === 'lost' ? { start: ['lost', 'accepted'] } : {},
  });
  const [lost, plain] = [sampleStart({ prompt: 'lost' }), sampleStart()];
  const outcomes = [];
  for (const one of [lost, plain, lost, lost]) outcomes.push((await provider.start(one)).outcome);
  assert.deepEqual(outcomes, ['unknown', 'accepted', 'accepted', 'accepted']);
  assert.deepEqual(provider.startedTwice(), [lost.reference]);
  assert.equal(provider.generations(lost.reference), 3);
});

test('a scripted exception is thrown', async () => {
  const provider = createScriptedProvider({ script: { start: ['throws'] } });
  await assert.rejects(provider.start(sampleStart()), /scripted: start/);
});
