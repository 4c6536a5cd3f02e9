/** What each adapter reads as the cost of an operation, and what becomes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Costs } from '@vidgen/contract/costs.ts';
import fc from 'fast-check';
import { sampleGeneration } from '../../proof/kit/conformance-fixture.ts';
import { reportedCost, ruleCost } from './costs.ts';
import { readCost } from './declared/responses.ts';
import type { DeclaredSettings } from './declared/settings.ts';
import { costOf } from './fal/errors.ts';
import { readVideo } from './openai-videos/wire.ts';
import type { UpstreamResponse } from './toolkit/upstream.ts';

const response = (json: unknown, headers = {}) =>
  ({ kind: 'response', status: 200, json, headers }) as unknown as UpstreamResponse;

test('adapters read what their upstreams report, and nothing from another type', () => {
  assert.deepEqual(readVideo({ usage: { cost: 0.5 } })?.cost, { amount: 0.5, currency: 'USD' });
  assert.equal(readVideo({ usage: { cost: 'free' } })?.cost, undefined);
  const units = costOf(response({}, { 'x-fal-billable-units': '5.04' }));
  assert.deepEqual(units, { units: 5.04, unit: 'unit' });
  assert.equal(costOf(response({})), undefined);
  const at = (status: object, json: unknown) =>
    readCost(json, status as DeclaredSettings['status']);
  assert.deepEqual(at({ cost: 'a.b' }, { a: { b: '0.42' } }), { amount: 0.42 });
  const tokens = { units: { at: 'tokens', unit: 'token' } };
  assert.deepEqual(at(tokens, { tokens: 7 }), { units: 7, unit: 'token' });
  const billedSeconds = { billedSeconds: { output: 'out', input: 'in' } };
  assert.deepEqual(at(billedSeconds, { out: 5, in: 2.5 }), { seconds: 5, inputSeconds: 2.5 });
  assert.equal(at(billedSeconds, { in: 2.5 }), undefined);
});

const rate = { perSecond: 0.1, perSecondSilent: 0.05, perInputSecond: 0.01, perTask: 0.002 };
const generation = sampleGeneration({ model: 'vidgen-2-5', resolution: '720p', duration: 5 });
const video = { ...generation, videoUrls: ['https://a.example/v.mp4'] };
const own: Costs = { models: { 'vidgen-2-5': { '720p': rate } }, perMillionTokens: 4.3 };
const euro: Costs = { ...own, currency: 'EUR', rate: 1.08 };
const usd = { pricedSeconds: null, currency: 'USD' };

test('units, seconds and amounts become millionths of one currency, or stay unknown', () => {
  const reported = (costs: Costs, cost: Parameters<typeof reportedCost>[1]) =>
    reportedCost(costs, cost, { generation, ...usd })?.micros ?? null;
  assert.equal(reported(own, { units: 108_900, unit: 'token' }), 468_270);
  assert.equal(reported(own, { units: 3, unit: 'unit' }), null);
  assert.equal(reported({}, { units: 0, unit: 'unit' }), 0);
  assert.equal(reported(own, { amount: 0.42 }), 420_000);
  assert.equal(reported(euro, { amount: 0.42 }), 453_600);
  assert.equal(reported(euro, { amount: 0.42, currency: 'USD' }), 420_000);
  assert.equal(reported(own, { amount: 42, currency: 'JPY' }), null);
  assert.equal(reported({ currency: 'EUR' }, { amount: 1 }), null);
  for (const amount of [1e300, 1_000_001, -1, Number.NaN]) {
    assert.equal(reported(euro, { amount }), null);
  }
  assert.equal(reported({ rate: 2 }, { units: 0, unit: 'token' }), 0);
  assert.equal(reported({ ...own, rate: 2 }, { seconds: 1e300 }), null);
  assert.equal(reported(own, { seconds: 6 }), 602_000);
});

test('the rule has sound, input and fixed parts, and needs the length of billed input', () => {
  const rule = (of: typeof generation, costs = own) =>
    ruleCost(costs, { generation: of, ...usd })?.micros ?? null;
  assert.equal(rule({ ...generation, generateAudio: true }), 502_000);
  assert.equal(rule({ ...generation, generateAudio: false }), 252_000);
  assert.equal(rule(generation, euro), Math.round(rule(generation)! * 1.08));
  assert.equal(rule(video), null);
  assert.equal(rule({ ...video, inputSecondsMax: 2.5 }), 527_000);
  assert.equal(rule({ ...generation, resolution: '480p' }), null);
});

test('the rule is exact to the millionth for any rate and length', () => {
  fc.assert(
    fc.property(fc.nat(90_000_000), fc.integer({ min: 1, max: 30 }), (millionths, duration) => {
      const models = { 'vidgen-2-5': { '720p': { perSecond: millionths / 1e6 } } };
      const cost = ruleCost({ models }, { generation: { ...generation, duration }, ...usd });
      assert.deepEqual(cost, { micros: millionths * duration, source: 'rule' });
    }),
  );
});
