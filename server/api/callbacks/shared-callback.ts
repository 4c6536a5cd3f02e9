/** Receives callbacks of providers that have one callback URL for all attempts, and sign. */
import { z } from 'zod';
import { handleSharedCallback } from '../../lifecycle/poll/handle-provider-callback.ts';
import { endpoint } from '../http/endpoint.ts';
import { firstValues } from './provider-callback.ts';

export const sharedCallback = endpoint({
  operationId: 'sharedProviderCallback',
  method: 'POST',
  path: '/callbacks/:provider',
  summary: 'Receive a callback of a provider',
  description:
    'For generators that have one address for all their callbacks, and sign them. Only a hint: ' +
    'the state is read from the generator.',
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
