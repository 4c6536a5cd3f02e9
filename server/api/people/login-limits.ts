/** How often logins of the command line may be started, collected and looked up. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';

/** Per minute; of a network, or of a signed-in person who enters a code. */
const limits = {
  'started logins': 10,
  // Every 2 seconds, by several machines of one network.
  'collected logins': 300,
  // Guessing one of 20^8 codes within ten minutes is hopeless at this rate.
  'entered codes': 30,
} as const;

export function requireLoginLimit(
  { statusLimiter }: ApiServices,
  { remoteAddress, person }: Pick<ApiRequest, 'remoteAddress' | 'person'>,
  purpose: keyof typeof limits,
): void {
  const caller = person?.id ?? clientNetwork(remoteAddress());
  const limit = limits[purpose];
  const result = statusLimiter.consume(`${purpose} ${caller}`, limit);
  if (result.allowed) return;
  const { retryAfterSeconds: retryAfter } = result;
  throw new ApiError(
    'rate_limited',
    `Rate limit of ${limit} ${purpose} per minute exceeded; retry in ${retryAfter} seconds.`,
    { retryAfter },
  );
}
