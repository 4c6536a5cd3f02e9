/** Provider conformance of ComfyUI, and what is specific to it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { harness, withFake } from '../../../proof/kit/comfyui/fixture.ts';
import { errorResponse } from '../../../proof/kit/comfyui/rules.ts';
import { graphOf, writeWorkflows } from '../../../proof/kit/comfyui/workflows.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { startAccepted } from '../../../proof/kit/conformance-faults.ts';
import {
  sampleStart,
  sampleStatus,
  startGeneration,
} from '../../../proof/kit/conformance-fixture.ts';
import { type Fault, json } from '../../../proof/kit/fake-upstream.ts';
import { operationOf } from './values.ts';

describeConformance('comfyui', harness);

const withFrame: Partial<Generation> = {
  generationType: 'image-to-video',
  imageUrls: ['https://cdn.example.test/..%2f..%2fevil.py'],
  aspectRatio: 'adaptive',
};
const lost: Fault = { work: 'done', response: 'lose' };

describe('start', () => {
  test('sends the workflow with the values of the task and nothing else', () =>
    withFake({}, async (fake, provider) => {
      const start = sampleStart({ prompt: 'a "fox"}, {{seed}} [1]', seed: 7 });
      const operation = await startAccepted(provider, start);
      assert.equal(operation, operationOf(start.reference));
      const graph = fake.lastGraph();
      assert.equal(graph['6']!.inputs.text, 'a "fox"}, {{seed}} [1]');
      assert.equal(graph['3']!.inputs.seed, 7);
      assert.equal(graph['9']!.inputs.filename_prefix, `vidgen/${operation}`);
      assert.equal(Object.keys(graph).length, 9);
    }));

  test('uploads files under our own names and sends no URL', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider, sampleStart(withFrame));
      const name = `vidgen/${operation}-first-frame.png`;
      assert.deepEqual([...fake.inputFiles.keys()], [name]);
      const graph = fake.lastGraph();
      assert.equal(graph['20']!.inputs.image, name);
      assert.ok(!JSON.stringify(graph).includes('cdn.example.test'));
      const { width, height } = graph['5']!.inputs;
      assert.deepEqual([width, height], [1120, 832], 'the shape of the frame, 640 by 480');
    }));

  test('sends no prompt after a failed upload and reports that nothing was created', () =>
    withFake({}, async (fake, provider) => {
      const table: readonly (readonly [Fault, string])[] = [
        [lost, 'throttled'],
        [{ work: 'not-done', response: { status: 500, body: '' } }, 'throttled'],
        [{ work: 'done', response: json(200, { name: 7 }) }, 'throttled'],
        [{ work: 'not-done', response: { status: 413, body: '' } }, 'rejected'],
      ];
      for (const [fault, outcome] of table) {
        fake.next('upload', fault);
        assert.equal((await provider.start(sampleStart(withFrame))).outcome, outcome);
      }
      assert.ok(fake.requests.every(({ path }) => path !== '/prompt'));
    }));

  test('reports which node the server rejected', () =>
    withFake({}, async (fake, provider) => {
      const error = { type: 'custom_validation_failed', details: 'Invalid image file: a.png' };
      const node = { errors: [error], class_type: 'LoadImage' };
      const message = 'Prompt outputs failed validation';
      const rejected = errorResponse('prompt_outputs_failed_validation', message, '', [
        ['20', node],
      ]);
      fake.next('prompt', { work: 'not-done', response: rejected });
      const result = await provider.start(sampleStart(withFrame));
      assert.ok(result.outcome === 'rejected' && result.canFailOver);
      assert.match(result.detail, /node 20 LoadImage.*Invalid image file/);
    }));
});

describe('find', () => {
  const found = async (prepare: 'queued' | 'running' | 'finished' | 'never', seconds: number) => {
    let outcome = '';
    await withFake({}, async (fake, provider) => {
      const start = sampleStart();
      const operation = operationOf(start.reference);
      const work = prepare === 'never' ? 'not-done' : 'done';
      fake.next('prompt', { work, response: 'lose' });
      assert.equal((await provider.start(start)).outcome, 'unknown');
      if (prepare === 'running') fake.run(operation);
      if (prepare === 'finished') fake.finish(operation);
      const result = await provider.find!(start.reference, start.generation, seconds);
      if (result.outcome === 'found') assert.equal(result.operation, operation);
      outcome = result.outcome;
    });
    return outcome;
  };

  test('finds a prompt in every state', async () => {
    for (const state of ['queued', 'running', 'finished'] as const) {
      assert.equal(await found(state, 1), 'found');
    }
  });

  test('reports absent only when the prompt can no longer appear', async () => {
    assert.equal(await found('never', 1), 'unknown');
    assert.equal(await found('never', 300), 'unknown');
    assert.equal(await found('never', 3_600), 'absent');
  });

  test('never reports absent for a server that assigns its own ids', () =>
    withFake({ fake: { givesOwnIds: true } }, async (fake, provider) => {
      const operation = await startAccepted(provider);
      assert.match(operation, /^own-/);
      fake.next('prompt', lost);
      const start = sampleStart();
      await provider.start(start);
      const result = await provider.find!(start.reference, start.generation, 3_600);
      assert.equal(result.outcome, 'unknown');
    }));
});

describe('cancel', () => {
  test('cancels a job in one step and waits until it has stopped', () =>
    withFake({ fake: { slowInterrupt: 1 } }, async (fake, provider) => {
      const running = await startAccepted(provider);
      const waiting = await startAccepted(provider);
      fake.run(running);
      assert.equal(await provider.cancel(waiting), 'stopped');
      assert.equal(await provider.cancel(running), 'stopped');
      const paths = fake.requests.filter(({ method }) => method === 'POST').slice(2);
      assert.deepEqual(
        paths.map(({ path }) => path),
        [`/api/jobs/${waiting}/cancel`, `/api/jobs/${running}/cancel`],
      );
    }));

  test('stops a prompt that begins while it is cancelled', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      const waiting = { queue_running: [], queue_pending: [[0, operation, {}, {}, []]] };
      fake.run(operation);
      fake.next('queue', { work: 'not-done', response: json(200, waiting) });
      assert.equal(await provider.cancel(operation), 'stopped');
      assert.ok(fake.requests.every(({ path }) => path !== '/interrupt'));
    }));

  test('interrupts a running prompt of an older server by its id', () =>
    withFake({ fake: { slowInterrupt: 1, cancelsNoJobs: true } }, async (fake, provider) => {
      const first = await startAccepted(provider);
      const second = await startAccepted(provider);
      fake.run(first);
      assert.equal(await provider.cancel(first), 'stopped');
      const interrupts = fake.requests.filter(({ path }) => path === '/interrupt');
      assert.deepEqual(
        interrupts.map(({ body }) => JSON.parse(body.toString())),
        [{ prompt_id: first }],
      );
      fake.run(second);
    }));
});

describe('status', () => {
  test('reads the queue before the history so that no prompt is missed', () =>
    withFake({}, async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.finish(operation);
      const before = fake.requests.length;
      const result = await poll();
      assert.equal(result.outcome, 'completed');
      const paths = fake.requests.slice(before).map(({ path }) => path);
      assert.deepEqual(paths, ['/queue', `/history/${operation}`]);
    }));

  test('reads twice before it reports a task as lost', () =>
    withFake({}, async (fake, provider) => {
      const { operation, poll } = await startGeneration({ provider });
      fake.finish(operation);
      fake.next('history', { work: 'not-done', response: json(200, {}) });
      const result = await poll();
      assert.equal(result.outcome, 'completed');
    }));

  test('finds the video of a workflow whose output comes from the cache', async () => {
    const { inputs } = graphOf()['9']!;
    const constant = { class_type: 'SaveVideo', inputs: { ...inputs, filename_prefix: 'vidgen' } };
    const workflows = await writeWorkflows({ text: graphOf({ '9': constant }) });
    await withFake(
      { adapter: { workflows: { 'vidgen-2-0': workflows } } },
      async (fake, provider) => {
        for (const start of [sampleStart({ seed: 7 }), sampleStart({ seed: 7 })]) {
          const operation = await startAccepted(provider, start);
          fake.finish(operation);
          const result = await provider.status(sampleStatus(operation, start));
          assert.equal(result.outcome, 'completed', JSON.stringify(result));
        }
      },
    );
  });
});
