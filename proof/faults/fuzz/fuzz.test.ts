/**
 * A share of the fuzzing, anew at every run: 5,000 requests and some hundred connections.
 * One engine: it is about requests; the long run takes both engines.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startService } from '../../kit/service.ts';
import { type FuzzRunOptions, fuzzConnections, fuzzRequests, rawFuzzOptions } from './fuzz-run.ts';
import { holdConnections } from './raw-sockets.ts';
import { newTally } from './schema-fuzz.ts';

const requests = 5000;
const connections = 300;
const held = 100;

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({
    environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
  });
});
after(() => service.close());

const optionsFor = (t: { diagnostic(line: string): void }, runs: number): FuzzRunOptions => {
  const seed = Number(process.env.VIDGEN_TEST_SEED ?? randomInt(2 ** 30));
  t.diagnostic(`VIDGEN_TEST_SEED=${seed}`);
  return { url: service.url, admin: service.admin, runs, seed, workers: 2 };
};

test('every request is answered as the document and the rules of the contract say', async (t) => {
  const tally = await fuzzRequests(optionsFor(t, requests));
  assert.deepEqual(tally.violations, []);
  assert.equal(tally.requests, requests);
  await service.assertInvariants();
});

test('no bytes on a connection bring answers out of step, or the service down', async (t) => {
  const options = optionsFor(t, connections);
  const tally = newTally();
  const raw = await rawFuzzOptions(options, tally);
  await fuzzConnections(raw, options.workers);
  tally.violations.push(...(await holdConnections(raw, { count: held, drips: false })));
  raw.bystander.sender.close();
  assert.deepEqual(tally.violations, []);
  await service.assertInvariants();
});
