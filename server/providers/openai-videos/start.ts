/**
 * Starts a video: downloads the materials of the task and uploads them with the form. OpenRouter
 * gets their URLs instead.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Size } from '@vidgen/renderer/size.ts';
import type { StartRequest, StartResult } from '../provider.ts';
import { type MaterialFile, type MaterialOptions, withMaterials } from '../toolkit/materials.ts';
import { notConfigured, rejectedStart } from '../toolkit/start-result.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { VideoCalls } from './calls.ts';
import type { Dialect } from './dialect.ts';
import { openRouterBody } from './openrouter.ts';
import { type References, referenceParts, type Upload, uploadOf } from './references.ts';
import { type ConfiguredSizes, sizeFor } from './sizes.ts';
import { readVideoShape } from './video-shape.ts';
import { createFields, type FieldOptions, type Fields, modelWithReference } from './wire.ts';

/** For downloading the materials. */
export const materialSecondsMax = 120;

type StartOptions = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly calls: VideoCalls;
  readonly models: Partial<Readonly<Record<ModelName, string>>>;
  readonly marksModel: boolean;
  readonly sendsIdempotencyKey: boolean;
  readonly sizes: ConfiguredSizes;
  readonly references: References | null;
  readonly fieldOptions: FieldOptions;
  readonly materials: MaterialOptions;
};

export function createStart(options: StartOptions) {
  const { dialect, calls, models, sizes, references, fieldOptions, materials } = options;

  return async function start(request: StartRequest): Promise<UpstreamOutcome | StartResult> {
    const { reference, generation } = request;
    const headers = options.sendsIdempotencyKey ? { 'idempotency-key': reference } : {};
    const served = models[generation.model];
    if (!served) return notConfigured(`${options.name} has no model name for ${generation.model}`);
    if (dialect.sendsUrls) {
      const size = sizes[generation.model] ? sizeFor(generation, null, options) : null;
      const body = openRouterBody(request, { ...fieldOptions, model: served, size });
      return await calls.createJson(body, headers);
    }
    const seconds = outputSeconds(request);
    if (seconds === null) {
      return rejectedStart({
        reason: 'failed',
        detail: 'the priced length of the edit is missing',
      });
    }
    const model = options.marksModel ? modelWithReference(served, reference) : served;
    const create = async (files: readonly MaterialFile[]) => {
      const size = sizeFor(generation, await shapeOf(generation, files), options);
      if (size === null) return notConfigured(`no size for ${generation.resolution}`);
      const parts = await partsOf(generation, files);
      const fields = createFields(generation, { model, size, seconds }, fieldOptions);
      return await calls.create({ ...fields, ...parts.fields }, parts.uploads, headers);
    };
    if (generation.generationType === 'text-to-video') return await create([]);
    const materialOptions = { ...materials, secondsMax: materialSecondsMax };
    return await withMaterials(generation, materialOptions, create);
  };

  async function partsOf(
    { generationType }: Generation,
    files: readonly MaterialFile[],
  ): Promise<{ readonly fields?: Fields; readonly uploads: readonly Upload[] }> {
    if (generationType === 'reference-to-video' && references) {
      return await referenceParts(references, files, fieldOptions.fields);
    }
    const [frame] = files;
    return { uploads: frame ? [uploadOf('input_reference', frame, 'first-frame')] : [] };
  }
}

/** Of the first frame, or of the video that is edited; null if nothing says what it should be. */
async function shapeOf(
  { generationType, duration }: Generation,
  files: readonly MaterialFile[],
): Promise<Size | null> {
  if (generationType === 'image-to-video') return files[0]?.shape ?? null;
  const source = duration < 0 ? files.find(({ kind }) => kind === 'video') : undefined;
  return source ? await readVideoShape(source.file) : null;
}

/**
 * Neither engine follows the length of a source, so an edit names the length that was paid for, in
 * whole seconds and never more. Returns null if it is not known.
 */
function outputSeconds({ generation, pricedSeconds }: StartRequest): number | null {
  if (generation.duration >= 0) return generation.duration;
  return pricedSeconds == null ? null : Math.floor(pricedSeconds);
}
