/** Canaries: once a day by the first process, compared with the declaration, told and resolved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { useJourney } from '../../../proof/kit/journey.ts';
import type { ConfigFile } from '../../config/config-file.ts';
import { unixSeconds } from '../../process/clock.ts';
import { canaryProblems } from '../../providers/connected/canary-problems.ts';
import { createUploads } from '../../storage/uploads.ts';
import { watchCanaries } from './watch-canaries.ts';

// The provider makes one second of 320x180 with sound, whatever it is asked for.
const models: ConfigFile['models'] = {
  asked: {
    generationTypes: ['text-to-video'],
    seconds: [1],
    resolutions: { '180p': { perTask: 1 } },
    sound: 'always',
  },
  other: {
    generationTypes: ['text-to-video'],
    seconds: [3],
    resolutions: { '360p': { perTask: 1 } },
  },
};
let isBroken = false;
const { service, provider } = await useJourney({
  script: () => ({ status: [isBroken ? 'failed' : 'completed'] }),
  file: { models, routes: { asked: ['scripted', 'preview'], other: ['scripted'] } },
});
const { db, parts } = service;
const uploads = createUploads({
  storage: parts.lifecycle.storage,
  secret: parts.secret,
  nowSeconds: unixSeconds,
  publicUrl: () => service.url,
});

/** Until nothing is left to do: each turn starts at most one test of the provider. */
async function watchAt(time: string, canaries: Readonly<Record<string, string>>, turns = 1) {
  const now = new Date(`2026-01-${time}:00Z`);
  for (let turn = 0; turn < turns; turn += 1) {
    await watchCanaries(parts.lifecycle, { canaries, uploads, now });
    await db.query(`update provider_tests set next_poll_at = now() where state = 'running'`);
  }
}
const starts = () => provider.calls.filter(({ kind }) => kind === 'start').length;
const openNotices = async () => {
  const { rows } = await db.query<{ subject: string; problem: string }>(
    `select subject, detail ->> 'problem' as problem from notices
     where kind = 'canary_failed' and resolved_at is null order by 1`,
  );
  return rows;
};

test('one a day from its time on, by the first process, and none of the preview', async () => {
  const canaries = { asked: '23:59' };
  const now = new Date('2026-01-10T23:59:00Z');
  await Promise.all(
    Array.from({ length: 4 }, () => watchCanaries(parts.lifecycle, { canaries, uploads, now })),
  );
  await watchAt('11T23:58', canaries, 3);
  assert.equal(starts(), 1);
  await watchAt('12T02:00', canaries, 3);
  assert.equal(starts(), 2);
  const { rows } = await db.query(
    `select provider, to_char(canary_day, 'DD') as day, state from provider_tests order by 2`,
  );
  const of = (day: string) => ({ provider: 'scripted', day, state: 'completed' });
  assert.deepEqual(rows, [of('10'), of('11')]);
});

test('what is not as declared or fails is told once, and the next good one ends it', async () => {
  const canaries = { asked: '04:00', other: '04:00' };
  await watchAt('12T05:00', canaries, 5);
  const differs = {
    subject: 'other scripted',
    problem:
      'The video was made, but it is 1 s long instead of 3 s; ' +
      'it has 320x180 pixels instead of 640x360; it has sound',
  };
  assert.deepEqual(await openNotices(), [differs]);
  isBroken = true;
  await watchAt('13T05:00', canaries, 5);
  const failed = 'The provider couldn’t make the test video: scripted';
  assert.deepEqual(await openNotices(), [{ subject: 'asked scripted', problem: failed }, differs]);
  isBroken = false;
  await watchAt('14T05:00', canaries, 5);
  assert.deepEqual(await openNotices(), [differs]);
  const { rowCount } = await db.query(`select from notices where kind = 'canary_failed'`);
  assert.equal(rowCount, 2);
});

test('a canary whose process died is not started again, and is told', async () => {
  const before = starts();
  await db.query(
    `insert into provider_tests (id, provider, reference, generation, created_by, canary_day,
       created_at)
     select 'test_died', provider, 'vg_died', generation, created_by, '2026-01-15',
       now() - interval '3 minutes'
     from provider_tests where generation ->> 'model' = 'asked' limit 1`,
  );
  await watchAt('15T05:00', { asked: '04:00' }, 2);
  assert.equal(starts(), before);
  const [first] = await openNotices();
  assert.deepEqual(first, { subject: 'asked scripted', problem: 'It was abandoned.' });
});

test('vendors may round sizes and lengths, and a reported cost is compared with the rule', () => {
  const rate = { perSecond: 0.1 };
  const costs = { models: { 'vidgen-2-0': { '480p': rate } } };
  const problemsOf = (change: object, amount = 0.5) => {
    const shape = { seconds: 5.04, width: 832, height: 480, hasSound: false, ...change };
    const chosen = { resolution: '480p', aspectRatio: '16:9', duration: 5 } as const;
    const generation = sampleGeneration({
      ...chosen,
      model: 'vidgen-2-0',
      generateAudio: false,
    });
    return canaryProblems(generation, { shape, reported: { amount }, costs, currency: 'USD' });
  };
  assert.deepEqual(problemsOf({}, 0.51), []);
  assert.deepEqual(problemsOf({ width: 854 }), []);
  assert.deepEqual(problemsOf({}, 0.84), ['it costs 0.84 instead of 0.5 USD']);
  const upright = ['it has 480x832 pixels instead of 864x496'];
  assert.deepEqual(problemsOf({ width: 480, height: 832 }), upright);
});
