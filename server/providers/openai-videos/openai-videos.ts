/**
 * Servers with OpenAI's `/v1/videos`: vLLM-Omni, SGLang-Diffusion, Azure, gateways and vidgen. A
 * start with a lost response is repeated where the server takes an idempotency key. Where it
 * repeats the reference, the start is found in its list. Elsewhere a start is never repeated.
 */
import { signatureProblem } from '../../crypto/standard-webhooks.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { CallbackRequest, CallbackResult, Provider } from '../provider.ts';
import type { AdapterOptions, ReadCredential } from '../settings.ts';
import { createAsyncAdapter } from '../toolkit/async-adapter.ts';
import { callbackHint, invalidSignature } from '../toolkit/callbacks.ts';
import type { MaterialOptions } from '../toolkit/materials.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import { createVideoCalls } from './calls.ts';
import { cancelVideo } from './cancel.ts';
import { dialects } from './dialect.ts';
import { errors } from './errors.ts';
import { createFind } from './find.ts';
import { limitReferences } from './references.ts';
import type { OpenAiVideosSettings } from './settings.ts';
import { createStart, materialSecondsMax } from './start.ts';
import { createStatus } from './status.ts';
import { unsupportedReason } from './unsupported.ts';

export type OpenAiVideosOptions = AdapterOptions<typeof OpenAiVideosSettings> &
  MaterialOptions & { readonly read: ReadCredential };

/** Added to the timeouts of a start: the server may continue after the connection broke. */
const settleMarginSeconds = 60;

export function createOpenAiVideos(options: OpenAiVideosOptions): Provider {
  const dialect = dialects[options.dialect];
  const calls = createVideoCalls(dialect, options);
  const sendsIdempotencyKey = options.idempotencyKey ?? dialect.idempotencyKey;
  const marksModel = dialect.echoesModel && (options.markModel ?? true) && !sendsIdempotencyKey;
  const limits = {
    dialect,
    models: options.models,
    sizes: options.sizes ?? {},
    references: limitReferences(dialect.references, options.references),
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
      calls.createTimeoutMs / 1000 + materialSecondsMax + settleMarginSeconds,
  });
  const secret = options.webhookSecret && options.read(options.webhookSecret);
  const { name } = options;
  const marks = { marksModel, sendsIdempotencyKey };
  const startOptions = { name, ...limits, ...marks, calls, fieldOptions, materials: options };

  return createAsyncAdapter({
    name,
    errors,
    downloadsMaterials: !dialect.sendsUrls,
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP'],
    protection: sendsIdempotencyKey ? 'idempotency-key' : marksModel ? 'look-up' : 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, limits),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    start: createStart(startOptions),
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
    close: calls.close,
  });
}

/** Deliberately low: GPUs differ widely, and a high estimate would keep tasks from being sent. */
const guessedSeconds = (duration: number): number => 30 + 12 * Math.max(duration, 4);

/** All videos share one callback URL, so the event itself says which video it is about. */
async function readCallback(request: CallbackRequest, secret: string): Promise<CallbackResult> {
  const problem = signatureProblem(request, { secret, nowSeconds: unixSeconds() });
  if (problem !== null) return invalidSignature(problem);
  return callbackHint(asOperation(asRecord(asRecord(asJson(request.body))?.data)?.id));
}
