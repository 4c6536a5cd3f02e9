/** Provider conformance of ModelArk, and what is specific to it: states, keys and DELETE. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelArkTaskType } from '@vidgen/contract/modelark.ts';
import { describeConformance } from '../../../proof/kit/conformance.ts';
import { sampleStart, startGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { documentedError } from '../../../proof/kit/modelark/errors.ts';
import { declined, harness, startAccepted, withFake } from '../../../proof/kit/modelark/fixture.ts';
import { promptParameters } from '../../../proof/kit/modelark/rules.ts';
import { withoutParameters } from '../toolkit/generation-input.ts';
import { createBody, isMark, markOf } from './wire.ts';

describeConformance('modelark', harness);

test('reports a key that cannot be sent without showing it', () =>
  withFake({ adapter: { apiKey: () => 'secret\nkey' } }, async (fake, provider) => {
    const result = await provider.start(sampleStart());
    assert.equal(result.outcome, 'throttled');
    assert.ok(!JSON.stringify(result).includes('secret'));
    assert.equal(fake.requests.length, 0);
  }));

test('returns the video, the last frame and the length', () =>
  withFake({}, async (fake, provider) => {
    const wanted = { returnLastFrame: true, duration: 8 };
    const { operation, poll } = await startGeneration({ provider }, wanted);
    fake.advance(operation, 'succeeded');
    assert.deepEqual(await poll(), {
      outcome: 'completed',
      video: { url: fake.results.videoUrl(operation) },
      lastFrame: { url: fake.results.frameUrl(operation) },
      outputSeconds: 8,
      cost: { units: 108_900, unit: 'token' },
    });
  }));

describe('cancel', () => {
  test('sends a DELETE only for a task that it has read as queued', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('get', declined(documentedError('InternalServiceError')));
      assert.equal(await provider.cancel(operation), 'unknown');
      for (const status of ['running', 'succeeded', 'failed', 'expired', 'cancelled', 'paused']) {
        fake.advance(operation, status);
        await provider.cancel(operation);
      }
      assert.ok(fake.requests.every((request) => request.operation !== 'delete'));
    }));

  test('reports what the task has become between the read and the DELETE', () =>
    withFake({}, async (fake, provider) => {
      const operation = await startAccepted(provider);
      fake.next('delete', declined(documentedError('InvalidAction.RunningTaskDeletion')));
      assert.equal(await provider.cancel(operation), 'running', 'also while it reads as queued');
      const queued = JSON.stringify({ id: operation, status: 'queued' });
      fake.next('get', declined({ status: 200, body: queued }));
      fake.advance(operation, 'succeeded');
      assert.equal(await provider.cancel(operation), 'ended');
    }));

  test('trusts the second read instead of the response to the DELETE', () =>
    withFake({}, async (fake, provider) => {
      const first = await startAccepted(provider);
      const second = await startAccepted(provider);
      fake.next('delete', { work: 'done', response: 'lose' });
      assert.equal(await provider.cancel(first), 'stopped');
      fake.next('delete', { work: 'not-done', response: { status: 200, body: '{}' } });
      assert.equal(await provider.cancel(second), 'unknown');
    }));
});

const options = { model: 'dreamina-seedance-2-0-260128', forwardSeed: true };

describe('the create request', () => {
  test('has every field with a default and nothing that was not requested', () => {
    const start = sampleStart({ prompt: 'a fox --dur 30' }, { reference: 'ref_1' });
    assert.deepEqual(createBody(start, options), {
      model: 'dreamina-seedance-2-0-260128',
      content: [{ type: 'text', text: 'a fox —dur 30' }],
      resolution: '720p',
      ratio: '16:9',
      duration: 5,
      generate_audio: true,
      watermark: false,
      return_last_frame: false,
      execution_expires_after: markOf('ref_1'),
      safety_identifier: start.endUser,
    });
  });

  test('has the task type that a client named, unless it is priced as an edit', () => {
    const typeOf = (duration: number, taskType: ModelArkTaskType) =>
      createBody(sampleStart({ duration }, { taskType }), options).omni_reference_task_type;
    assert.equal(typeOf(5, 'extend'), 'extend');
    assert.equal(typeOf(-1, 'auto'), 'edit');
  });

  test('has the callback URL when there is one', () => {
    const providerCallbackUrl = 'https://vidgen.example.test/hooks/token';
    const body = createBody(sampleStart({}, { providerCallbackUrl }), options);
    assert.equal(body.callback_url, providerCallbackUrl);
    assert.ok(!('callback_url' in createBody(sampleStart(), options)));
  });

  test('has the seed, folded into what the upstream takes, or none', () => {
    const seeds = [-1, 2_147_483_647, 2_147_483_648, 4_294_967_295];
    const sent = seeds.map((seed) => createBody(sampleStart({ seed }), options).seed);
    assert.deepEqual(sent, [undefined, 2_147_483_647, 0, 2_147_483_647]);
    const off = createBody(sampleStart({ seed: 7 }), { ...options, forwardSeed: false });
    assert.ok(!('seed' in off));
  });

  test('marks attempts by a time to expire that no rounding or default has', () => {
    const marks = Array.from({ length: 2_000 }, (_, at) => markOf(`vg_${at}`));
    for (const mark of marks) {
      assert.ok(Number.isInteger(mark) && mark > 172_800 && mark < 259_200, `${mark}`);
      assert.ok(isMark(mark) && !isMark(Math.round(mark / 10) * 10), `${mark}`);
    }
    assert.ok(new Set(marks).size > 1_900);
    assert.equal(markOf('vg_0'), marks[0]);
    assert.ok(![3_600, 172_800, 259_200].some(isMark));
  });
});

describe('parameters in the prompt', () => {
  const hostile = [
    'a fox --dur 30',
    'a fox --duration 30 --rs 1080p --ratio 1:1',
    '--wm false a fox',
    'a fox\n--seed 7',
    'a fox ---dur 30',
    'a fox -- dur 30',
    'a fox --dur=30',
    'a fox－－dur 30',
    'a fox ﹣﹣cf true',
    'a fox -\u200b-dur 30',
    'a fox -\u2060\u00ad--dur 30',
    'a fox--DUR 30',
  ];
  test('are removed', () => {
    const read = (text: string) => Object.keys(promptParameters([{ type: 'text', text }]));
    for (const prompt of hostile) {
      assert.notDeepEqual(read(prompt), [], `the upstream would have obeyed ${prompt}`);
      assert.deepEqual(read(withoutParameters(prompt)), [], prompt);
    }
  });

  test('leave other text unchanged', () => {
    const harmless = [
      'a well-known fox, 4-30 s - quick',
      'ein Schiff – langsam — im Nebel',
      '- first\n- second',
      '💡\u200d🦊 \t  trailing  ',
      'x'.repeat(10_000),
    ];
    for (const prompt of harmless) assert.equal(withoutParameters(prompt), prompt);
  });
});
