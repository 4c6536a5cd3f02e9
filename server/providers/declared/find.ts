/**
 * Finds a start whose response was lost, by our reference. `absent` allows a second start, which
 * is paid for, so only a code that the description declares as proof is one, and only late enough.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { FindResult } from '../provider.ts';
import { absentOnceSettled, unknownFind, unreadableFind } from '../toolkit/find-result.ts';
import { asText, valueAt } from '../toolkit/response-values.ts';
import { isSuccess, type UpstreamResponse } from '../toolkit/upstream.ts';
import { type DeclaredCalls, defaultCreateTimeoutMs } from './calls.ts';
import { asId, readStatusError } from './responses.ts';
import type { DeclaredSettings } from './settings.ts';

type FindSettings = NonNullable<DeclaredSettings['find']>;

/** Added to the create timeout: the upstream may continue after the connection broke. */
const settleMarginSeconds = 90;

export function createFind(options: {
  readonly find: FindSettings;
  readonly errors: NonNullable<DeclaredSettings['errors']>;
  readonly calls: Pick<DeclaredCalls, 'find'>;
  readonly createTimeoutMs?: number | undefined;
}) {
  const { find, errors, calls, createTimeoutMs = defaultCreateTimeoutMs } = options;
  const { settleSeconds = createTimeoutMs / 1000 + settleMarginSeconds } = find;
  return async (
    reference: string,
    generation: Generation,
    secondsSinceStart: number,
  ): Promise<FindResult> => {
    const result = await calls.find(reference, generation);
    if (result.kind !== 'response') return unreadableFind(result);
    if (provesAbsent(result, find, errors)) {
      return absentOnceSettled({ secondsSinceStart, settleSeconds });
    }
    if (!isSuccess(result)) return unreadableFind(result);
    const id = operationIn(result.json, reference, find);
    return id === undefined
      ? unknownFind('the reference is not in the response')
      : { outcome: 'found', operation: id };
  };
}

function provesAbsent(
  { status, json }: UpstreamResponse,
  { absent = [] }: FindSettings,
  errors: NonNullable<DeclaredSettings['errors']>,
): boolean {
  // A status alone may come from a proxy, so the upstream's own error must be there.
  const error = readStatusError(json, errors);
  return error !== undefined && (absent.includes(String(status)) || absent.includes(error.code));
}

/** The reference is compared, whatever was asked for: an upstream may ignore a parameter. */
function operationIn(
  json: unknown,
  reference: string,
  { list, reference: place, operation }: FindSettings,
): string | undefined {
  const items = list === undefined ? [json] : valueAt(json, list);
  if (!Array.isArray(items)) return undefined;
  const ours = items.find((item) => asText(valueAt(item, place))?.includes(reference));
  return asId(valueAt(ours, operation));
}
