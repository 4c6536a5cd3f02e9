/**
 * The troubles of the conformance suite as faults of a double: what an adapter's harness has to
 * bring is only how its upstream words them.
 */
import assert from 'node:assert/strict';
import type { Provider } from '../../server/providers/provider.ts';
import {
  type AdapterFixture,
  type StartFault,
  type StatusFault,
  sampleStart,
} from './conformance-fixture.ts';
import { declined, type FakeResponse, type Fault, htmlPage } from './fake-upstream.ts';

export type FaultResponses = {
  /** Of a server that has begun, and of one that has not. */
  readonly serverError: FakeResponse;
  readonly errorAfterCreating?: FakeResponse;
  readonly throttled: FakeResponse;
  /** Where being throttled looks different when a start is. */
  readonly startThrottled?: FakeResponse;
  readonly contentRejected: FakeResponse;
  readonly inputRejected: FakeResponse;
  readonly accountRejected: FakeResponse;
  /** Cut off in the middle. */
  readonly garbage: FakeResponse;
  readonly wrongTypes: FakeResponse;
};

const startFaults = (responses: FaultResponses): Record<StartFault, Fault | null> => ({
  'answer-lost': { work: 'done', response: 'lose' },
  'error-after-creating': {
    work: 'done',
    response: responses.errorAfterCreating ?? responses.serverError,
  },
  'error-without-creating': declined(responses.serverError),
  'never-answers': { work: 'done', response: 'hang' },
  garbage: { work: 'done', response: responses.garbage },
  html: declined(htmlPage),
  'content-rejected': declined(responses.contentRejected),
  'input-refused': declined(responses.inputRejected),
  'account-refused': declined(responses.accountRejected),
  throttled: declined(responses.startThrottled ?? responses.throttled),
  unreachable: null,
});

const statusFaults = (responses: FaultResponses): Record<StatusFault, Fault> => ({
  error: declined(responses.serverError),
  throttled: declined(responses.throttled),
  'never-answers': { work: 'not-done', response: 'hang' },
  garbage: declined(responses.garbage),
  html: declined(htmlPage),
  types: declined(responses.wrongTypes),
});

/** The bench's switches for trouble: the double meets the next start, or the next look, with it. */
export function faultSwitches<Operation extends string>(
  fake: { next(operation: Operation, fault: Fault): void; close(): Promise<void> },
  responses: FaultResponses,
  { start, status }: { readonly start: Operation; readonly status: Operation },
): Pick<AdapterFixture, 'failStart' | 'failStatus'> {
  return {
    failStart: async (startFault) => {
      const fault = startFaults(responses)[startFault];
      if (fault) fake.next(start, fault);
      else await fake.close();
    },
    failStatus: (statusFault) => fake.next(status, statusFaults(responses)[statusFault]),
  };
}

const longTimeouts = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
const shortTimeouts = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

/** Time-outs of an adapter under test, and looks without waiting. */
export const timing = (
  options: { readonly shortTimeouts: boolean } = { shortTimeouts: false },
) => ({
  ...(options.shortTimeouts ? shortTimeouts : longTimeouts),
  getPerSecond: 1_000,
});

/** As the service asks it: with an address to call. */
export const withCallbacks = (
  adapter: Provider,
  callbackUrlOf: (reference: string) => string,
): Provider => ({
  ...adapter,
  start: (request) =>
    adapter.start({ ...request, providerCallbackUrl: callbackUrlOf(request.reference) }),
});

/** Starts a generation that must be accepted. */
export async function startAccepted(provider: Provider, start = sampleStart()): Promise<string> {
  const result = await provider.start(start);
  assert.ok(result.outcome === 'accepted', JSON.stringify(result));
  return result.operation;
}
