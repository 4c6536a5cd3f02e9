/**
 * The troubles of the conformance suite as faults of a double: what an adapter's harness has to
 * bring is only how its upstream words them.
 */
import assert from 'node:assert/strict';
import type { Provider } from '../../server/providers/provider.ts';
import {
  type Bench,
  type StartTrouble,
  type StatusTrouble,
  sampleStart,
} from './conformance-bench.ts';
import { declined, type Fault, htmlPage, type RawAnswer } from './upstream-double.ts';

export type TroubledAnswers = {
  /** Of a server that has begun, and of one that has not. */
  readonly serverError: RawAnswer;
  readonly errorAfterCreating?: RawAnswer;
  readonly throttled: RawAnswer;
  /** Where being throttled looks different when a start is. */
  readonly startThrottled?: RawAnswer;
  readonly contentRejected: RawAnswer;
  readonly inputRefused: RawAnswer;
  readonly accountRefused: RawAnswer;
  /** Cut off in the middle. */
  readonly garbage: RawAnswer;
  readonly wrongTypes: RawAnswer;
};

const startFaults = (answers: TroubledAnswers): Record<StartTrouble, Fault | null> => ({
  'answer-lost': { work: 'done', answer: 'lose' },
  'error-after-creating': {
    work: 'done',
    answer: answers.errorAfterCreating ?? answers.serverError,
  },
  'error-without-creating': declined(answers.serverError),
  'never-answers': { work: 'done', answer: 'hang' },
  garbage: { work: 'done', answer: answers.garbage },
  html: declined(htmlPage),
  'content-rejected': declined(answers.contentRejected),
  'input-refused': declined(answers.inputRefused),
  'account-refused': declined(answers.accountRefused),
  throttled: declined(answers.startThrottled ?? answers.throttled),
  unreachable: null,
});

const statusFaults = (answers: TroubledAnswers): Record<StatusTrouble, Fault> => ({
  error: declined(answers.serverError),
  throttled: declined(answers.throttled),
  'never-answers': { work: 'not-done', answer: 'hang' },
  garbage: declined(answers.garbage),
  html: declined(htmlPage),
  types: declined(answers.wrongTypes),
});

/** The bench's switches for trouble: the double meets the next start, or the next look, with it. */
export function troubles<Operation extends string>(
  double: { next(operation: Operation, fault: Fault): void; close(): Promise<void> },
  answers: TroubledAnswers,
  { start, status }: { readonly start: Operation; readonly status: Operation },
): Pick<Bench, 'troubleStart' | 'troubleStatus'> {
  return {
    troubleStart: async (trouble) => {
      const fault = startFaults(answers)[trouble];
      if (fault) double.next(start, fault);
      else await double.close();
    },
    troubleStatus: (trouble) => double.next(status, statusFaults(answers)[trouble]),
  };
}

const patient = { createTimeoutMs: 30_000, readTimeoutMs: 30_000 };
/** For what never answers; long enough for a busy machine to answer the rest. */
const impatient = { createTimeoutMs: 1_000, readTimeoutMs: 1_000 };

/** Time-outs of an adapter under test, and looks without waiting. */
export const timing = (options: { readonly impatient: boolean } = { impatient: false }) => ({
  ...(options.impatient ? impatient : patient),
  getPerSecond: 1_000,
});

/** As the service asks it: with an address to call. */
export const withCallbacks = (
  adapter: Provider,
  callbackUrlOf: (reference: string) => string,
): Provider => ({
  ...adapter,
  start: (request) => adapter.start({ ...request, callbackUrl: callbackUrlOf(request.reference) }),
});

/** Starts a generation that must be accepted. */
export async function accepted(provider: Provider, start = sampleStart()): Promise<string> {
  const answer = await provider.start(start);
  assert.ok(answer.outcome === 'accepted', JSON.stringify(answer));
  return answer.operation;
}
