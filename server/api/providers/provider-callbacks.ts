/**
 * Callbacks of providers: only hints, even when they are signed. The state is read from the
 * provider.
 */
import { z } from 'zod';
import {
  handleProviderCallback,
  handleSharedCallback,
} from '../../lifecycle/poll/handle-provider-callback.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest } from '../http/handler.ts';

/** For one attempt: the reference in the URL is unguessable. */
const attemptCallback = endpoint({
  operationId: 'providerCallback',
  method: 'POST',
  path: '/callbacks/:provider/:reference',
  summary: 'Receive a callback of a provider',
  auth: 'none',
  hidden: true,
  rawBody: true,
  params: z.object({ provider: z.string(), reference: z.string() }),
  responses: { 204: { description: 'Received.' } },
  async handler({ lifecycle }, { params, headers, body }) {
    await handleProviderCallback(lifecycle, {
      provider: params.provider!,
      reference: params.reference!,
      headers: firstValues(headers),
      body: body as Buffer,
    });
    // The same response for unknown, finished and forged callbacks: it reveals nothing.
    return { status: 204 };
  },
});

/** For providers that have one callback URL for all attempts, and sign. */
const sharedCallback = endpoint({
  operationId: 'sharedProviderCallback',
  method: 'POST',
  path: '/callbacks/:provider',
  summary: 'Receive a callback of a provider',
  auth: 'none',
  hidden: true,
  rawBody: true,
  params: z.object({ provider: z.string() }),
  responses: { 204: { description: 'Received.' } },
  async handler({ lifecycle }, { params, headers, body }) {
    await handleSharedCallback(lifecycle, {
      provider: params.provider!,
      headers: firstValues(headers),
      body: body as Buffer,
    });
    return { status: 204 };
  },
});

/** The first value of each header: signatures are single values. */
function firstValues(headers: ApiRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']);
  return Object.fromEntries(entries);
}

export const callbackEndpoints = [attemptCallback, sharedCallback];
