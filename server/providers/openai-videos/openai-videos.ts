/**
 * Servers with OpenAI's `/v1/videos`: vLLM-Omni, SGLang-Diffusion, Azure and gateways. None has an
 * idempotency key. When the server repeats the reference, a start with a lost response is found in
 * its list; elsewhere a start is never repeated.
 */
import { unixSeconds } from '../../clock.ts';
import { signatureProblem } from '../../standard-webhooks.ts';
import type {
  CallbackRequest,
  CallbackResult,
  Provider,
  StartRequest,
  StartResult,
} from '../provider.ts';
import type { AdapterOptions, ReadCredential } from '../settings.ts';
import { callbackHint, invalidSignature } from '../toolkit/callbacks.ts';
import {
  hasMaterials,
  type MaterialFile,
  type MaterialOptions,
  withMaterials,
} from '../toolkit/materials.ts';
import { asJson, asOperation, asRecord } from '../toolkit/response-values.ts';
import { notConfigured, toStartResult } from '../toolkit/start-result.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { createVideoCalls } from './calls.ts';
import { cancelVideo } from './cancel.ts';
import { dialects } from './dialect.ts';
import { parseStartResult } from './errors.ts';
import { createFind } from './find.ts';
import { openRouterBody } from './openrouter.ts';
import type { OpenAiVideosSettings } from './settings.ts';
import { sizeFor } from './sizes.ts';
import { createStatus } from './status.ts';
import { unsupportedReason } from './unsupported.ts';
import { createFields, modelWithReference } from './wire.ts';

export type OpenAiVideosOptions = AdapterOptions<typeof OpenAiVideosSettings> &
  MaterialOptions & { readonly read: ReadCredential };

/** For downloading the first frame. */
const frameSecondsMax = 120;
/** Added to the timeouts of a start: the server may continue after the connection broke. */
const settleMarginSeconds = 60;

export function createOpenAiVideos(options: OpenAiVideosOptions): Provider {
  const dialect = dialects[options.dialect];
  const calls = createVideoCalls(dialect, options);
  const marksModel = dialect.echoesModel && (options.markModel ?? true);
  const limits = {
    dialect,
    models: options.models,
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
      options.settleSeconds ?? calls.createTimeoutMs / 1000 + frameSecondsMax + settleMarginSeconds,
  });
  const secret = options.webhookSecret && options.read(options.webhookSecret);

  async function start(request: StartRequest): Promise<StartResult> {
    const { reference, generation } = request;
    const name = options.models[generation.model];
    if (!name) return notConfigured(`${options.name} has no model name for ${generation.model}`);
    if (dialect.sendsUrls) {
      const size = limits.sizes[generation.model] ? sizeFor(generation, null, limits) : null;
      const body = openRouterBody(request, { ...fieldOptions, model: name, size });
      return readStart(await calls.createJson(body), hasMaterials(generation));
    }
    const model = marksModel ? modelWithReference(name, reference) : name;
    const create = async (firstFrame?: MaterialFile): Promise<StartResult> => {
      const size = sizeFor(generation, firstFrame?.shape ?? null, limits);
      if (size === null) return notConfigured(`no size for ${generation.resolution}`);
      const fields = createFields(generation, { model, size }, fieldOptions);
      return readStart(await calls.create(fields, firstFrame), firstFrame !== undefined);
    };
    if (generation.generationType !== 'image-to-video') return await create();
    const materialOptions = { ...options, secondsMax: frameSecondsMax };
    return await withMaterials(generation, materialOptions, ([firstFrame]) => create(firstFrame));
  }

  return {
    name: options.name,
    downloadsMaterials: true,
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP'],
    protection: marksModel ? 'look-up' : 'none',
    unsupportedReason: (generation) => unsupportedReason(generation, limits),
    typicalSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    start,
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
  };
}

const readStart = (outcome: UpstreamOutcome, materials: boolean): StartResult =>
  toStartResult(outcome, {
    operation: (json) => asOperation(asRecord(json)?.id),
    error: (response) => parseStartResult(response, { materials }),
  });

/** Deliberately low: GPUs differ widely, and a high estimate would keep tasks from being sent. */
const guessedSeconds = (outputSeconds: number): number => 30 + 12 * outputSeconds;

/** All videos share one callback URL, so the event itself says which video it is about. */
async function readCallback(request: CallbackRequest, secret: string): Promise<CallbackResult> {
  const problem = signatureProblem(request, { secret, nowSeconds: unixSeconds() });
  if (problem !== null) return invalidSignature(problem);
  return callbackHint(asOperation(asRecord(asRecord(asJson(request.body))?.data)?.id));
}
