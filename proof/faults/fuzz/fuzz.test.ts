/**
 * A sample of the fault tests `fuzzed-requests` and `raw-sockets` with a new seed in every run:
 * 200 requests and 50 connections, and 5,000 and 300 in the thorough run.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import { startService } from '../../kit/service.ts';
import { type FuzzRunOptions, fuzzConnections, fuzzRequests } from './fuzz-run.ts';

const isThorough = process.env.VIDGEN_TEST_THOROUGH === '1';
const [requests, connections] = isThorough ? [5000, 300] : [200, 50];
const held = 100;

const service = await startService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
});
after(() => service.close());

const optionsFor = (t: { diagnostic(line: string): void }, runs: number): FuzzRunOptions => {
  const seed = Number(process.env.VIDGEN_TEST_SEED ?? randomInt(2 ** 30));
  t.diagnostic(`VIDGEN_TEST_SEED=${seed}`);
  return { url: service.url, admin: service.admin, runs, seed, workers: 2 };
};

test('every response matches the document and the rules of the contract', async (t) => {
  const tally = await fuzzRequests(optionsFor(t, requests));
  assert.deepEqual(tally.violations, []);
  assert.equal(tally.requests, requests);
  await service.assertInvariants();
});

test('no bytes on a connection mix up responses or stop the service', async (t) => {
  const tally = await fuzzConnections({ ...optionsFor(t, connections), held, drips: false });
  assert.deepEqual(tally.violations, []);
  await service.assertInvariants();
});
