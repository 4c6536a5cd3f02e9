/**
 * Fuzzes the service with requests made from its own OpenAPI document, with requests that it does
 * not describe, and with broken ones. Every response must be right: 5,000 requests and 300
 * connections, with a new seed in every run.
 *
 * Thorough: takes a minute of a core.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import fc from 'fast-check';
import { startMediaServer } from '../../kit/media-server.ts';
import { makeAccount, startService, testAdminToken } from '../../kit/service.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { runsOr } from '../fault-test.ts';
import { brokenRequest, rawFault } from './broken-requests.ts';
import { fetchDocument } from './document.ts';
import { openFuzzEnvironment } from './environment.ts';
import { anyRequest } from './requests.ts';
import { responseFault } from './response-fault.ts';
import { send } from './send.ts';

const requests = runsOr(5000);
const connections = runsOr(300);
const seed = Number(process.env.SEED ?? randomInt(2 ** 30));
/** A shorter run need not reach every operation. */
const coverageRunsMin = 4000;
/** Identifies the account of a response. */
const balance = 111;

const declared: DeclaredModel = {
  generationTypes: ['text-to-video', 'image-to-video', 'reference-to-video'],
  seconds: [4, 8],
  resolutions: { '540p': { perSecond: 2 }, '1080p': { perSecond: 5, perTask: 1 } },
  references: { images: 2 },
  seed: true,
  options: { negative_prompt: { type: 'text', max: 100 } },
};
const service = await startService({
  environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_STATUS: '0', VIDGEN_RATE_CREATE: '0' },
  file: { models: { 'acme/tiny': declared } },
});
const media = await startMediaServer();
const { url, admin } = service;
after(async () => {
  await media.close();
  await service.close();
});

test('every response matches the document', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const document = await fetchDocument(url);
  const env = await openFuzzEnvironment({ url, admin }, `${media.origin}/hook`);
  const reached = new Set<string>();
  const property = fc.asyncProperty(anyRequest(document, env), async (request) => {
    const response = await send(url, request);
    if (request.operationId) reached.add(request.operationId);
    await env.restoreSession(request.caller, response);
    const fault = responseFault(response, request, document);
    const { body, ...sent } = request;
    const excerpt = `${response.status} ${response.body.toString().slice(0, 500)}`;
    const described = JSON.stringify({ ...sent, body: body?.toString() }).slice(0, 3000);
    assert.equal(fault, null, `${fault}: ${excerpt}\n  ${described}`);
  });
  await fc.assert(property, { numRuns: requests, seed });
  const never = document.operations.filter(({ id }) => !reached.has(id));
  if (requests >= coverageRunsMin) assert.deepEqual(never, []);
  await service.assertInvariants();
});

test('no broken request gets a wrong response, stops the service or leaves a file', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const { key, id: accountId } = await makeAccount(url, admin, { live: balance });
  const client = { url, key, accountId, balance, adminToken: testAdminToken };
  const filesBefore = await countFiles();
  const property = fc.asyncProperty(brokenRequest(client), async (request) => {
    assert.equal(await rawFault(client, request), null);
  });
  await fc.assert(property, { numRuns: connections, seed });
  // An upload that was given up is cleaned up after its connection has gone.
  await waitUntil(async () => (await countFiles()) === filesBefore);
  await service.assertInvariants();
});

/** The stored files and those that are being received. */
async function countFiles(): Promise<number> {
  const { storage, settings } = service.parts.lifecycle;
  const stored = await Array.fromAsync(storage.list(''));
  return stored.length + (await readdir(settings.tempFolder).catch(() => [])).length;
}
