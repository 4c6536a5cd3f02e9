/**
 * Servers with OpenAI's `/v1/videos`: its own, vLLM-Omni, SGLang-Diffusion, gateways. None has an
 * idempotency key. Where the server shows our reference again, a lost answer is resolved by its
 * list; everywhere else nothing protects a second start, so there is none.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import { unixSeconds } from '../../clock.ts';
import { signatureProblem } from '../../standard-webhooks.ts';
import type { CallbackRequest, CallbackResult, Provider, StartResult } from '../provider.ts';
import type { Credential } from '../settings.ts';
import type { MaterialOptions } from '../toolkit/fetch-material.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import {
  acceptedResult,
  isSuccessStatus,
  startResultOf,
  unsentRetrySeconds,
} from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createVideoCalls, type VideoCallOptions } from './calls.ts';
import { cancelVideo } from './cancel.ts';
import { type DialectName, dialects } from './dialect.ts';
import { type OpenAiVideosErrorContext, parseStartResult } from './errors.ts';
import { createFind } from './find.ts';
import { type FrameFailure, firstFrameSecondsMax, withFirstFrame } from './first-frame.ts';
import { type ConfiguredSizes, sizeFor } from './sizes.ts';
import { createStatus } from './status.ts';
import { unsupportedReason } from './unsupported.ts';
import { createFields, type Fields, modelWithReference } from './wire.ts';

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
  const marksModel = dialect.echoesModel && (options.markModel ?? true);
  const limits = {
    dialect,
    sizes: options.sizes ?? {},
    seconds: options.seconds ?? dialect.seconds,
  };
  const fieldOptions = {
    fields: options.fields ?? {},
    forwardSeed: options.forwardSeed ?? dialect.supportsSeed,
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

  async function start(reference: string, generation: Generation): Promise<StartResult> {
    const model = options.models[generation.model];
    if (!model) return refusedResult(`${options.name} has no model name for ${generation.model}`);
    const result = await withFirstFrame(generation, options, async (firstFrame) => {
      const size = sizeFor(generation, firstFrame?.shape ?? null, limits);
      if (size === null) return refusedResult(`no size for ${generation.resolution}`);
      const modelName = marksModel ? modelWithReference(model, reference) : model;
      const fields = createFields(generation, { model: modelName, size }, fieldOptions);
      const outcome = await calls.create(fields, firstFrame);
      return toStartResult(outcome, { hasImage: firstFrame !== null });
    });
    return 'fault' in result ? failedStart(result) : result;
  }

  return {
    name: options.name,
    protection: marksModel ? 'look-up' : 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, limits),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    start: ({ reference, generation }) => start(reference, generation),
    status: createStatus(dialect, calls),
    cancel: (operation) => cancelVideo(dialect, calls, operation),
    ...(marksModel
      ? {
          find: (reference, _generation, secondsSinceStart) =>
            find({ reference, secondsSinceStart }),
        }
      : {}),
    ...(secret
      ? { sharesCallbackUrl: true, readCallback: (request) => readCallback(request, secret()) }
      : {}),
    close: () => calls.close(),
  };
}

/** Low on purpose: cards differ many times over, and too much would keep tasks from being sent. */
const guessedSeconds = (outputSeconds: number): number => 30 + 12 * outputSeconds;

/** Nothing was asked for: another provider may well make it. */
const refusedResult = (detail: string): StartResult => ({
  outcome: 'refused',
  canFailOver: true,
  reason: 'failed',
  detail,
});

function failedStart({ fault, detail }: FrameFailure): StartResult {
  return fault === 'image'
    ? { outcome: 'refused', canFailOver: false, reason: 'material', detail }
    : { outcome: 'throttled', retryAfterSeconds: unsentRetrySeconds, detail };
}

const toStartResult = (outcome: UpstreamOutcome, context: OpenAiVideosErrorContext): StartResult =>
  startResultOf(outcome, (response) =>
    isSuccessStatus(response)
      ? acceptedResult(asOperation(asRecord(response.json)?.id), response)
      : parseStartResult(response, context),
  );

/** One address for the whole project, so the event itself says which video it speaks of. */
async function readCallback(
  { headers, body }: CallbackRequest,
  secret: string,
): Promise<CallbackResult> {
  const detail = signatureProblem({ headers, body }, { secret, nowSeconds: unixSeconds() });
  if (detail !== null) return { outcome: 'invalid_signature', detail };
  const operation = asOperation(asRecord(asRecord(asJson(body))?.data)?.id);
  return { outcome: 'hint', ...(operation ? { operation } : {}) };
}
