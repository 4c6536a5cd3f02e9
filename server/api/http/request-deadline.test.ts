/** Requests that are not answered in time: an error, and nothing is held any more. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createMeasurements } from '../../telemetry/measurements.ts';
import { createApi } from './api.ts';
import { endpoint } from './endpoint.ts';
import type { ApiServices, Handler } from './handler.ts';

let handler: Handler;
const route = endpoint({
  operationId: 'late',
  method: 'POST',
  path: '/late',
  summary: 'Never answers',
  auth: 'none',
  rawBody: true,
  secondsMax: 0.05,
  responses: { 200: { description: 'Never.' } },
  handler: (services, request) => handler(services, request),
});
const lifecycle = { log: pino({ level: 'silent' }), measurements: createMeasurements() };
const services = { lifecycle, publicUrl: () => 'http://127.0.0.1' } as unknown as ApiServices;
const api = createApi(services, { routes: [route] });
await once(api.server.listen({ host: '127.0.0.1', port: 0 }), 'listening');
after(() => api.close());
const url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}/late`;

const post = async () => {
  const response = await fetch(url, { method: 'POST' });
  const { error } = (await response.json()) as { readonly error: { readonly code: string } };
  return [response.status, error.code];
};

test('a handler that does not answer is told to stop', async () => {
  const ended = Promise.withResolvers<void>();
  handler = async (_, request) => {
    request.abortSignal().addEventListener('abort', () => ended.resolve());
    return await new Promise(() => {});
  };
  assert.deepEqual(await post(), [500, 'internal_error']);
  await ended.promise;
});

test('a response without a first byte is closed', async () => {
  const stream = new PassThrough();
  handler = async () => ({ stream });
  assert.deepEqual(await post(), [500, 'internal_error']);
  if (!stream.destroyed) await once(stream, 'close');
});

test('a response that comes too late is closed', async () => {
  const late = Promise.withResolvers<void>();
  const stream = new PassThrough();
  handler = async () => {
    await late.promise;
    return { stream };
  };
  assert.deepEqual(await post(), [500, 'internal_error']);
  late.resolve();
  await once(stream, 'close');
});
