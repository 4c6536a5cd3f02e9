/**
 * Servers with OpenAI's `/v1/videos`: its own, vLLM-Omni, SGLang-Diffusion, gateways. None has an
 * idempotency key. Where the server shows our reference again, a lost answer is resolved by its
 * list; everywhere else nothing protects a second start, so there is none.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { unixSeconds } from '../../clock.ts';
import type { CallbackReading, CallbackRequest, Provider, StartAnswer } from '../provider.ts';
import type { Credential } from '../settings.ts';
import { asJson, asOperation, asRecord } from '../toolkit/answer-values.ts';
import type { MaterialOptions } from '../toolkit/fetch-material.ts';
import { whyForged } from '../toolkit/standard-webhooks.ts';
import {
  acceptedAs,
  isAccepting,
  startAnswerOf,
  unsentRetrySeconds,
} from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createVideoCalls, type VideoCallOptions } from './calls.ts';
import { cancelVideo } from './cancel.ts';
import { cannotMake } from './cannot.ts';
import { type DialectName, dialects } from './dialect.ts';
import { type StartSituation, startAnswerFor } from './errors.ts';
import { createFind } from './find.ts';
import { firstFrameSecondsMax, type Unprepared, withFirstFrame } from './first-frame.ts';
import { type ConfiguredSizes, sizeFor } from './sizes.ts';
import { createStatus } from './status.ts';
import { createFields, type Fields, markedModel } from './wire.ts';

export type OpenAiVideosOptions = VideoCallOptions &
  MaterialOptions & {
    readonly name: string;
    readonly dialect: DialectName;
    readonly models: Partial<Record<ModelName, string>>;
    readonly sizes?: ConfiguredSizes;
    readonly seconds?: readonly number[];
    readonly fields?: Fields;
    readonly sound?: boolean;
    /** Off, a seed changes nothing; on, an upstream that has none may refuse it. */
    readonly forwardSeed?: boolean;
    readonly markModel?: boolean;
    readonly usualSeconds?: number;
    readonly settleSeconds?: number;
    readonly webhookSecret?: Credential;
    readonly read: (credential: Credential) => () => string;
  };

/** Beyond our own time-outs, for a server that goes on after the connection broke. */
const settleMarginSeconds = 60;

export function createOpenAiVideos(options: OpenAiVideosOptions): Provider {
  const dialect = dialects[options.dialect];
  const calls = createVideoCalls(dialect, options);
  const marks = dialect.echoesModel && (options.markModel ?? true);
  const making = {
    dialect,
    sizes: options.sizes ?? {},
    seconds: options.seconds ?? dialect.seconds,
  };
  const filling = {
    fields: options.fields ?? {},
    forwardSeed: options.forwardSeed ?? dialect.takesSeed,
    guardsPrompt: dialect.guardsPrompt,
    sound: options.sound,
  };
  const find = createFind({
    list: calls.list,
    settleSeconds:
      options.settleSeconds ??
      calls.createTimeoutMs / 1000 + firstFrameSecondsMax + settleMarginSeconds,
  });
  const secret = options.webhookSecret && options.read(options.webhookSecret);

  async function start(reference: string, generation: Generation): Promise<StartAnswer> {
    const model = options.models[generation.model];
    if (!model) return refused(`${options.name} has no model name for ${generation.model}`);
    const answer = await withFirstFrame(generation, options, async (firstFrame) => {
      const size = sizeFor(generation, firstFrame?.shape ?? null, making);
      if (size === null) return refused(`no size for ${generation.resolution}`);
      const named = marks ? markedModel(model, reference) : model;
      const fields = createFields(generation, { model: named, size }, filling);
      const outcome = await calls.create(fields, firstFrame);
      return startAnswer(outcome, { picture: firstFrame !== null });
    });
    return 'fault' in answer ? unsent(answer) : answer;
  }

  return {
    name: options.name,
    protection: marks ? 'look-up' : 'none',
    cannot: (generation) => cannotMake(generation, making),
    usualSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    start: ({ reference, generation }) => start(reference, generation),
    status: createStatus(dialect, calls),
    cancel: (operation) => cancelVideo(dialect, calls, operation),
    ...(marks
      ? {
          find: (reference, _generation, secondsSinceStart) =>
            find({ reference, secondsSinceStart }),
        }
      : {}),
    ...(secret
      ? { callbacksShareAddress: true, readCallback: (request) => readCallback(request, secret()) }
      : {}),
    close: () => calls.close(),
  };
}

/** Low on purpose: cards differ many times over, and too much would keep tasks from being sent. */
const guessedSeconds = (outputSeconds: number): number => 30 + 12 * outputSeconds;

/** Nothing was asked for: another provider may well make it. */
const refused = (detail: string): StartAnswer => ({
  outcome: 'refused',
  tryAnother: true,
  reason: 'failed',
  detail,
});

function unsent({ fault, detail }: Unprepared): StartAnswer {
  return fault === 'picture'
    ? { outcome: 'refused', tryAnother: false, reason: 'material', detail }
    : { outcome: 'throttled', retryAfterSeconds: unsentRetrySeconds, detail };
}

const startAnswer = (outcome: UpstreamOutcome, situation: StartSituation): StartAnswer =>
  startAnswerOf(outcome, (answer) =>
    isAccepting(answer)
      ? acceptedAs(asOperation(asRecord(answer.json)?.id), answer)
      : startAnswerFor(answer, situation),
  );

/** One address for the whole project, so the event itself says which video it speaks of. */
async function readCallback(
  { headers, body }: CallbackRequest,
  secret: string,
): Promise<CallbackReading> {
  const detail = whyForged({ headers, body }, { secret, nowSeconds: unixSeconds() });
  if (detail !== null) return { outcome: 'forged', detail };
  const operation = asOperation(asRecord(asRecord(asJson(body))?.data)?.id);
  return { outcome: 'hint', ...(operation ? { operation } : {}) };
}
