/**
 * Models on Replicate. There is no idempotency key; our reference travels in the callback address,
 * and a lost answer is resolved by the account's list: a video is started again only when the list
 * proves that the first start came to nothing.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { CancelAnswer, Provider, StartAnswer, StartRequest } from '../provider.ts';
import type { Credential } from '../settings.ts';
import { asOperation, asRecord } from '../toolkit/answer-values.ts';
import { withoutParameters } from '../toolkit/prompt-parameters.ts';
import type { Reading } from '../toolkit/reads.ts';
import { acceptedAs, isAccepting, startAnswerOf } from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createReadCallback } from './callbacks.ts';
import { createReplicateCalls, type ReplicateCallOptions, type ReplicateCalls } from './calls.ts';
import { readError, type Situation, startAnswerFor } from './errors.ts';
import { createFind } from './find.ts';
import {
  cannotSay,
  type InputLimits,
  type InputNames,
  type InputRules,
  inputOf,
  seedanceInputs,
  seedanceLimits,
} from './inputs.ts';
import { createStatus, situationOf } from './status.ts';
import { placeOf, readPrediction } from './wire.ts';

export type ReplicateOptions = ReplicateCallOptions & {
  readonly name: string;
  /** `owner/name`, `owner/name:version` or `deployments/owner/name`. */
  readonly models: Partial<Record<ModelName, string>>;
  readonly inputs?: { readonly [Name in keyof InputNames]?: InputNames[Name] | undefined };
  readonly limits?: { readonly [Name in keyof InputLimits]?: InputLimits[Name] | undefined };
  readonly fields?: InputRules['fields'];
  readonly usualSeconds?: number;
  readonly settleSeconds?: number;
  readonly webhookSecret?: Credential;
  readonly read: (credential: Credential) => () => string;
};

/** The lowest that Replicate takes is not documented: a task with less left is hardly sent. */
const cancelAfterSecondsMin = 60;
/** Beyond our own time-out, for an upstream that goes on after the connection broke. */
const settleMarginSeconds = 90;

export function createReplicate(options: ReplicateOptions): Provider {
  const calls = createReplicateCalls(options);
  const rules: InputRules = {
    names: { ...seedanceInputs, ...options.inputs } as InputNames,
    limits: { ...seedanceLimits, ...options.limits } as InputLimits,
    fields: options.fields ?? {},
  };
  const find = createFind({
    calls,
    settleSeconds: options.settleSeconds ?? calls.createTimeoutMs / 1000 + settleMarginSeconds,
  });

  return {
    name: options.name,
    protection: 'look-up',
    cannot: (generation) => cannotSay(generation, rules),
    usualSeconds: (generation) => options.usualSeconds ?? usualSeconds(generation),

    async start(request) {
      const model = options.models[request.generation.model];
      if (!model) {
        const detail = `${options.name} has no model for ${request.generation.model}`;
        return { outcome: 'refused', tryAnother: true, reason: 'failed', detail };
      }
      const { path, ...version } = placeOf(model);
      const body = { ...version, ...bodyOf(request, rules) };
      const outcome = await calls.create(path, body, cancelAfter(request.secondsLeft));
      return startAnswer(outcome, situationOf(request.generation));
    },

    status: createStatus(calls),
    cancel: (operation) => cancel(calls, operation),

    find: (reference, generation, secondsSinceStart) =>
      find({
        reference,
        prompt: { name: rules.names.prompt, text: withoutParameters(generation.prompt) },
        secondsSinceStart,
      }),

    readCallback: createReadCallback({
      configured: options.webhookSecret && options.read(options.webhookSecret),
      fetchSecret: calls.secret,
    }),

    close: () => calls.close(),
  };
}

function bodyOf({ generation, callbackUrl }: StartRequest, rules: InputRules) {
  // Only https is taken. Starts and logs are of no interest: at the end there is something to see.
  const calledBack = callbackUrl?.startsWith('https:')
    ? { webhook: callbackUrl, webhook_events_filter: ['completed'] }
    : {};
  return { input: inputOf(generation, rules), ...calledBack };
}

/** Counted from the creation, queueing included: nothing is made and billed after our deadline. */
const cancelAfter = (secondsLeft: number): string =>
  `${Math.max(Math.ceil(secondsLeft), cancelAfterSecondsMin)}s`;

/** As Seedance takes elsewhere, and a while for a model that has to be woken. */
function usualSeconds({ model, duration }: Generation): number {
  const outputSeconds = duration === -1 ? 30 : duration;
  return (model === 'vidgen-2-5' ? 120 : 90) + Math.ceil(outputSeconds * 7.2);
}

const startAnswer = (outcome: UpstreamOutcome, situation: Situation): StartAnswer =>
  startAnswerOf(outcome, (answer) =>
    isAccepting(answer)
      ? acceptedAs(asOperation(asRecord(answer.json)?.id), answer)
      : startAnswerFor(answer, situation),
  );

/**
 * A prediction that runs can be stopped, but what it has run is billed on public models: so it is
 * left alone, and ends by the deadline it was given. One that has not begun is stopped for nothing.
 */
async function cancel(calls: ReplicateCalls, operation: string): Promise<CancelAnswer> {
  const before = cancelView(await calls.get(operation));
  if (before !== 'waiting') return before;
  const outcome = await calls.cancel(operation);
  // It may have begun, even ended, since we looked: the prediction itself says which.
  const told = cancelView(outcome);
  const after = told === 'waiting' || told === 'unknown' ? await calls.get(operation) : outcome;
  const view = cancelView(after);
  return view === 'waiting' ? 'unknown' : view;
}

/** What a prediction's state means to someone who wants it neither to go on nor to be billed. */
function cancelView(reading: Reading): CancelAnswer | 'waiting' {
  if (reading.kind !== 'answered') return 'unknown';
  if (reading.status === 404 && readError(reading)) return 'gone';
  const isShown = reading.status >= 200 && reading.status < 300;
  const prediction = isShown ? readPrediction(reading.json) : undefined;
  switch (prediction?.status) {
    case 'starting':
      return prediction.hasRun ? 'running' : 'waiting';
    case 'processing':
      return 'running';
    case 'aborted':
      return 'stopped';
    case 'canceled':
      return prediction.hasRun ? 'gone' : 'stopped';
    case 'succeeded':
    case 'failed':
      return 'gone';
    default:
      return 'unknown';
  }
}
