/**
 * Receives a provider callback for one attempt. The reference in the URL is unguessable, and the
 * signature is checked if the upstream signs.
 */
import { z } from 'zod';
import { handleProviderCallback } from '../../lifecycle/poll/handle-provider-callback.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest } from '../http/handler.ts';

export const providerCallback = endpoint({
  operationId: 'providerCallback',
  method: 'POST',
  path: '/callbacks/:provider/:reference',
  summary: 'Receive a callback of a provider',
  description:
    'For providers, not for clients. Only a hint, even when it is signed: the state is read from ' +
    'the provider.',
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

/** The first value of each header: signatures are single values. */
export function firstValues(headers: ApiRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']);
  return Object.fromEntries(entries);
}
