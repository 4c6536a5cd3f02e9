/**
 * Fuzzes the service with requests made from its own OpenAPI document, and with requests that it
 * does not describe. Every response must be right: 5,000 requests, with a new seed in every run.
 * Broken connections are a table in `api/http/client-errors.test.ts`.
 *
 * Thorough: takes a minute of a core.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import type { DeclaredModel } from '@vidgen/contract/model-declaration.ts';
import fc from 'fast-check';
import { startMediaServer } from '../../kit/media-server.ts';
import { startService } from '../../kit/service.ts';
import { runsOr } from '../fault-test.ts';
import { fetchDocument } from './document.ts';
import { openFuzzEnvironment } from './environment.ts';
import { anyRequest } from './requests.ts';
import { responseFault } from './response-fault.ts';
import { send } from './send.ts';

const requests = runsOr(5000);
const seed = Number(process.env.SEED ?? randomInt(2 ** 30));
/** A shorter run need not reach every operation. */
const coverageRunsMin = 4000;

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
