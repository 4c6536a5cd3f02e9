/** The headers of a provider callback. */
import type { ApiRequest } from '../http/handler.ts';

/** The first value of each header: signatures are single values. */
export function firstValues(headers: ApiRequest['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0] ?? '']);
  return Object.fromEntries(entries);
}
