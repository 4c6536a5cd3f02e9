/** A price rehearsal: repriced as creates are, and refused as balances and caps would have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RehearsalResponse } from '@vidgen/contract/margin.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { rehearsePrices } from '../../lifecycle/rehearse-prices.ts';

const { model } = textToVideo;
const cost = (perSecond: number) => ({ models: { [model]: { '480p': { perSecond } } } });
const { service } = await useJourney({
  limits: { scripted: { costs: cost(0.02) }, preview: { costs: cost(0.001) } },
  file: { creditValue: { currency: 'USD', amount: 0.02 } },
  script: ({ generation }) => ({
    status: [generation.prompt === 'fails' ? 'failed' : 'completed'],
  }),
});
const { db, admin } = service;

async function rehearse(body: object): Promise<RehearsalResponse> {
  const response = await admin.post('/admin/margin/rehearsal', body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body as unknown as RehearsalResponse;
}
const prompted = (prompt: string) => ({
  ...textToVideo,
  input: { ...textToVideo.input, prompt },
});
/** At the list price a video costs 5 credits. */
async function customer(credits: number, videos: number) {
  const account = await service.account({ live: credits });
  for (let video = 0; video < videos; video += 1) await account.client.run(textToVideo);
  const rowOf = async (body: object) => {
    const { items } = await rehearse(body);
    return items.find((item) => item.account_id === account.id)!;
  };
  return { ...account, rowOf };
}

test('a percentage and a rate give what creates would have cost', async () => {
  const { id, client, rowOf } = await customer(100, 2);
  await client.run(prompted('fails'));
  const same = await rowOf({});
  assert.deepEqual(same.now, same.rehearsed);
  const figures = { tasks: 2, credits: 10, revenue: 0.2, cost: 0.2, margin: 0, cost_unknown: 1 };
  assert.deepEqual(same.now, figures);
  for (const change of [
    { price_percent: 130 },
    { prices: { [model]: { '480p': { perSecond: 2.5, perTask: 1 } } } },
  ]) {
    assert.equal((await admin.send('PATCH', `/admin/accounts/${id}`, change)).status, 200);
    const { body } = await client.post('/v1/videos/generations/estimate', textToVideo);
    const cleared = { price_percent: null, prices: null };
    await admin.send('PATCH', `/admin/accounts/${id}`, cleared);
    const { price_percent: percent, ...prices } = { price_percent: undefined, ...change };
    for (const whose of [{}, { account_id: id }]) {
      const { rehearsed } = await rowOf({ percent, ...prices, ...whose });
      assert.equal(rehearsed.credits, 2 * Number(body.credits));
    }
  }
  const { items } = await rehearse({ percent: 200, account_id: (await customer(10, 1)).id });
  const unchanged = items.find((item) => item.account_id === id)!;
  assert.deepEqual(unchanged.rehearsed, unchanged.now);
});

test('another provider changes the costs of what was sold', async () => {
  const { rowOf } = await customer(100, 2);
  const { rehearsed } = await rowOf({ providers: { [model]: 'preview' } });
  assert.deepEqual([rehearsed.cost, rehearsed.revenue, rehearsed.margin], [0.01, 0.2, 0.19]);
});

test('counts what the balance and the cap of a key would have refused', async () => {
  const { rowOf, client } = await customer(17, 3);
  assert.equal((await client.create(textToVideo)).status, 402);
  const doubled = await rowOf({ percent: 200 });
  // 17 credits pay one video of 10, and no second.
  assert.deepEqual([doubled.refused_balance, doubled.refused_cap], [2, 0]);
  assert.deepEqual([doubled.rehearsed.tasks, doubled.rehearsed.cost], [1, 0.1]);
  for (const period of ['day', 'total']) {
    const other = await customer(100, 3);
    const cap = { credits: 20, period };
    const set = await admin.post(`/admin/keys/${other.keyId}/spending-cap`, {
      spend_cap: cap,
    });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const row = await other.rowOf({ percent: 200 });
    assert.deepEqual([row.refused_balance, row.refused_cap], [0, 1], period);
  }
});

test('the oldest tasks are left out above the limit, and unknown names are refused', async () => {
  const whatIf = { accountId: null, percent: 200, rates: null, costs: {} };
  const { rows } = await db.query<{ id: string }>(
    `select account_id as id from tasks where mode = 'live' order by tasks.id desc limit 2`,
  );
  const options = { since: new Date(0), tasksMax: 2, signal: new AbortController().signal };
  const found = await rehearsePrices(service.parts.lifecycle, whatIf, options);
  assert.equal(found.tasks, 2);
  assert.deepEqual([...found.accounts.keys()], [...new Set(rows.map(({ id }) => id))]);
  const refuse = async (body: object, message: RegExp) =>
    assertApiError(await admin.post('/admin/margin/rehearsal', body), 'invalid_request', message);
  await refuse({ prices: { kite: { '480p': { perTask: 1 } } } }, /prices.kite is not a model/);
  await refuse({ providers: { [model]: 'nobody' } }, /^The provider "nobody" has no costs/);
});
