/** How many expensive requests a signed-in person may send per minute. */
import type { Endpoint } from '../http/endpoint-definition.ts';

type SessionLimit = NonNullable<Endpoint['sessionLimit']>;

/** Each is fetched from a server of others. A page of a task shows up to fifty. */
export const imageLimit: SessionLimit = { purpose: 'image', perMinute: 240 };
/** Each may read every row of an account. */
export const exportLimit: SessionLimit = { purpose: 'export', perMinute: 20 };
/** Each aggregates up to 92 days. */
export const usageLimit: SessionLimit = { purpose: 'usage', perMinute: 120 };
/** The playground asks as a person types. */
export const estimateLimit: SessionLimit = { purpose: 'estimate', perMinute: 240 };
