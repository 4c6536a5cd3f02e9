/**
 * Fuzzes the service with requests made from its own OpenAPI document, with requests that it does
 * not describe, and with raw bytes on connections. Every response must be right. 200 requests and
 * 50 connections with a new seed in every run, and 5,000 and 300 in the thorough run.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import { startMediaServer } from '../../kit/media-server.ts';
import { makeAccount, startService, testAdminToken } from '../../kit/service.ts';
import { runsOr } from '../fault-test.ts';
import { fetchDocument } from './document.ts';
import { FuzzEnvironment } from './environment.ts';
import { fuzzSockets, holdConnections, type RawFuzzOptions } from './raw-sockets.ts';
import { type FuzzOptions, fuzzByDocument, newTally } from './schema-fuzz.ts';
import { Sender } from './send.ts';
import { fuzzUnguided } from './unguided-fuzz.ts';

const isThorough = process.env.VIDGEN_TEST_THOROUGH === '1';
const requests = runsOr(isThorough ? 5000 : 200);
const connections = runsOr(isThorough ? 300 : 50);
const seed = Number(process.env.SEED ?? randomInt(2 ** 30));
const unguidedShare = 0.1;
/** A shorter run need not reach every operation. */
const coverageRunsMin = 4000;
/** Connections that are held open, in a run with `RUNS` also with dripped bytes. */
const held = 100;
/** Connections at once, and what is between their seeds, so that no two send the same bytes. */
const atOnce = process.env.RUNS ? 8 : 2;
const seedStep = 1_000_003;
/** Balances that identify the account of a response. */
const balances = { own: 111, bystander: 222, hidden: 333 };

const service = await startService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
});
const media = await startMediaServer();
const { url, admin } = service;
const sender = new Sender(url);
after(async () => {
  sender.close();
  await media.close();
  await service.close();
});

test('every response matches the document', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const document = await fetchDocument(url);
  const env = await FuzzEnvironment.open({ url, admin }, { callbackUrl: `${media.origin}/hook` });
  const tally = newTally();
  const unguided = Math.ceil(requests * unguidedShare);
  const options: Omit<FuzzOptions, 'runs'> = { document, env, sender, tally, seed };
  await fuzzUnguided({ ...options, runs: unguided });
  await fuzzByDocument({ ...options, runs: requests - unguided });
  assert.deepEqual(tally.violations, []);
  assert.equal(tally.requests, requests);
  const ids = document.operations.map(({ id }) => id);
  const never = ids.filter((id) => !tally.responses.has(id));
  if (requests >= coverageRunsMin) assert.deepEqual(never, []);
  await service.assertInvariants();
});

test('no bytes on a connection mix up responses or stop the service', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const own = await makeAccount(url, admin, { live: balances.own });
  const bystander = await makeAccount(url, admin, { live: balances.bystander });
  const hidden = await makeAccount(url, admin, { live: balances.hidden });
  const tally = newTally();
  const parts = { key: own.key, hiddenKey: hidden.key, accountId: own.id };
  const options: RawFuzzOptions = {
    ...{ url, tally, runs: connections, seed, own: balances.own },
    bystander: { sender, key: bystander.key, balance: balances.bystander },
    parts: { ...parts, adminToken: testAdminToken },
  };
  const runs = Math.ceil(connections / atOnce);
  const seeds = Array.from({ length: atOnce }, (_, nth) => seed + nth * seedStep);
  await Promise.all(seeds.map((one) => fuzzSockets({ ...options, runs, seed: one })));
  for (const drips of process.env.RUNS ? [false, true] : [false]) {
    tally.violations.push(...(await holdConnections(options, { count: held, drips })));
  }
  assert.deepEqual(tally.violations, []);
  await service.assertInvariants();
});
