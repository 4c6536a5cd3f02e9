/**
 * A provider that is described by data: what to send, where things stand in the answers and what
 * the words mean. It promises no more than the description proves: without a header that drops
 * duplicates, a start whose answer was lost is never repeated.
 */

import type { CancelAnswer, Provider, StartAnswer, StatusAnswer } from '../provider.ts';
import { asOperation, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { valueAt } from '../toolkit/json-path.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { busyAnswer, type Reading } from '../toolkit/reads.ts';
import { refusedField } from '../toolkit/refused-part.ts';
import { acceptedAs, isAccepting, startAnswerOf } from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import {
  detailOf,
  readError,
  readStatus,
  reasonFor,
  type StatusReading,
  startAnswerFor,
} from './answers.ts';
import { cannotAsk, valuesFor } from './body.ts';
import { createDeclaredCalls, type DeclaredCallOptions, type DeclaredCalls } from './calls.ts';
import { ownSource, sourceAt } from './results.ts';
import type { DeclaredSettings } from './settings.ts';

export type DeclaredOptions = Omit<DeclaredSettings, 'kind' | 'apiKey' | 'supports'> &
  DeclaredCallOptions & { readonly name: string };

const usual = { askAgainSeconds: 10 };

type Declared = { readonly options: DeclaredOptions; readonly calls: DeclaredCalls };

export function createDeclared(options: DeclaredOptions): Provider {
  const declared: Declared = { options, calls: createDeclaredCalls(options) };
  const { calls } = declared;
  return {
    name: options.name,
    protection: options.start.idempotencyKeyHeader ? 'idempotency-key' : 'none',
    cannot: (generation) => cannotAsk(generation, options),
    usualSeconds: ({ duration }) => options.usualSeconds ?? 60 + 8 * Math.max(duration, 5),

    async start(request) {
      if (!options.models[request.generation.model]) {
        const detail = `${options.name} has no model name for ${request.generation.model}`;
        return { outcome: 'refused', tryAnother: true, reason: 'failed', detail };
      }
      const body = fillTemplate(options.start.body, valuesFor(request, options));
      return startAnswer(await calls.start(body, request.reference), options);
    },

    async status({ operation, signal }) {
      const look = await calls.status(operation, signal);
      const answer = statusAnswer(look, declared, operation);
      // Whoever gave up waiting knows why: that is no trouble to tell the operator of.
      return signal.aborted ? pending(options) : answer;
    },

    cancel: (operation) => cancel(declared, operation),
    close: () => calls.close(),
  };
}

const startAnswer = (outcome: UpstreamOutcome, options: DeclaredOptions): StartAnswer =>
  startAnswerOf(outcome, (answer) => {
    const errors = options.errors ?? {};
    if (!isAccepting(answer)) return startAnswerFor(answer, errors);
    const told = valueAt(answer.json, options.start.operation);
    const operation = asOperation(typeof told === 'number' ? String(told) : told);
    // Some answer 200 and mean an error; whatever it is, an id would have been there.
    const isError = !operation && readError(answer.json, errors);
    return isError ? startAnswerFor(answer, errors) : acceptedAs(operation, answer);
  });

const pending = (
  options: DeclaredOptions,
  change: { alert?: string; waitSeconds?: number } = {},
) => {
  const { alert, waitSeconds = 0 } = change;
  const seconds = options.askAgainSeconds ?? usual.askAgainSeconds;
  const askAgainSeconds = Math.max(seconds, waitSeconds);
  return { outcome: 'pending', askAgainSeconds, ...(alert ? { alert } : {}) } as const;
};

/** Whatever keeps us from reading an operation says nothing about it: it stays pending. */
function statusAnswer(look: Reading, declared: Declared, operation: string): StatusAnswer {
  const { options } = declared;
  if (look.kind === 'busy') return busyAnswer(look);
  if (look.kind !== 'answered') return pending(options, { alert: look.detail });
  const { status, json } = look;
  const error = readError(json, options.errors ?? {});
  if (status < 200 || status > 299) {
    const detail = detailOf(error, `HTTP ${status}`);
    // In the upstream's own words only: a proxy's 404 does not mean that the operation is gone.
    if (status === 404 && error) return { outcome: 'lost', detail };
    const waitSeconds = toldWaitSeconds(look.headers) ?? 0;
    return pending(options, status === 429 ? { waitSeconds } : { alert: detail });
  }
  const reading = readStatus(json, options.status);
  switch (reading.state) {
    case undefined: {
      const word = JSON.stringify(reading.word?.slice(0, 100) ?? null);
      return pending(options, { alert: `unknown status ${word}` });
    }
    case 'queued':
    case 'running':
      return {
        ...pending(options),
        ...(reading.progress === undefined ? {} : { progress: reading.progress }),
      };
    case 'completed':
      return completedAnswer(json, reading, { ...declared, operation });
    case 'failed': {
      const detail = detailOf(error, 'failed without an error');
      return { outcome: 'failed', ...reasonFor(error, options.errors ?? {}), detail };
    }
    case 'rejected':
      return rejectedAnswer(error, options);
    case 'expired':
      return { outcome: 'failed', reason: 'timed_out', detail: detailOf(error, 'expired') };
    case 'cancelled':
      return { outcome: 'failed', reason: 'failed', detail: 'cancelled at the upstream' };
  }
}

/** The state alone is the verdict; the code may tell what of the content was refused. */
function rejectedAnswer(
  error: ReturnType<typeof readError>,
  { errors = {} }: DeclaredOptions,
): StatusAnswer {
  const { refused } = reasonFor(error, errors, 'rejected');
  const detail = detailOf(error, 'content refused');
  return { outcome: 'failed', reason: 'rejected', detail, ...refusedField(refused) };
}

function completedAnswer(
  json: unknown,
  { outputSeconds }: StatusReading,
  { options, calls, operation }: Declared & { readonly operation: string },
): StatusAnswer {
  const { video, lastFrame, videoPath } = options.status;
  const reach = { calls, withKey: options.results === 'with-key' };
  const found =
    videoPath === undefined
      ? sourceAt(json, video!, reach)
      : ownSource(calls, calls.videoAddress(operation));
  if (!found) return { outcome: 'failed', reason: 'failed', detail: 'completed without a video' };
  const frame = lastFrame === undefined ? null : sourceAt(json, lastFrame, reach);
  return {
    outcome: 'completed',
    video: found,
    ...(frame ? { lastFrame: frame } : {}),
    ...(outputSeconds ? { outputSeconds } : {}),
  };
}

/** The word is believed only when another look shows that it was heeded. */
async function cancel({ options, calls }: Declared, operation: string): Promise<CancelAnswer> {
  const before = viewOf(await calls.status(operation), options);
  const from: readonly string[] = options.cancel?.from ?? [];
  if (!from.includes(before)) return before === 'queued' ? 'running' : before;
  await calls.cancel(operation);
  const after = viewOf(await calls.status(operation), options);
  // It still waits or runs: that the word is not heeded yet does not mean that it never will be.
  return after === 'queued' || after === 'running' ? 'unknown' : after;
}

/** What a state means to someone who wants the operation stopped. */
function viewOf(look: Reading, options: DeclaredOptions): CancelAnswer | 'queued' {
  if (look.kind !== 'answered') return 'unknown';
  if (look.status === 404 && readError(look.json, options.errors ?? {})) return 'gone';
  const isRead = look.status >= 200 && look.status < 300;
  const state = isRead ? readStatus(look.json, options.status).state : undefined;
  switch (state) {
    case undefined:
      return 'unknown';
    case 'queued':
    case 'running':
      return state;
    case 'cancelled':
      return 'stopped';
    default:
      return 'gone';
  }
}
