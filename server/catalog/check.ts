/**
 * Checks a create request and returns the generation with defaults filled in, or one message with
 * everything wrong with it: all wrong types and unknown fields first; only if there are none, all
 * broken rules (Decision 0001, "Error message"). Both are in the order of the body. Never throws.
 */
import {
  CreateGenerationRequest,
  type CreateRequest,
  generationDefaults as defaults,
  editingDuration,
  type Generation,
} from '@vidgen/contract/create-generation.ts';
import {
  formatProblems,
  type Problem,
  problemsOf,
  shapeProblemsOf,
} from '@vidgen/contract/problem.ts';
import { knownPaths } from '@vidgen/contract/schema-paths.ts';
import { defaultType, draftOf, ignoredMaterials } from './draft.ts';
import { defaultOf, type Model } from './models.ts';
import { type RuleContext, rules } from './rules.ts';

type CheckedGeneration =
  | {
      readonly ok: true;
      readonly request: CreateRequest;
      /** As it was checked and is to be priced; the catalog may change meanwhile. */
      readonly model: Model;
      /** Paths of the fields that this generation type ignores, for the `vidgen-ignored` header. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export function checkGeneration(body: unknown, context: RuleContext): CheckedGeneration {
  const schemaProblems = problemsOf(context.catalog.requestSchema(), body);
  const shapeProblems = shapeProblemsOf(schemaProblems);
  if (shapeProblems.length > 0) {
    return { ok: false, message: formatProblems(inBodyOrder(shapeProblems, body)) };
  }

  const draft = draftOf(body, context.catalog);
  const ruleProblems = rules.flatMap((rule) => rule(draft, context));
  const problems = inContractOrder(mergeProblems({ schemaProblems, ruleProblems }));
  if (problems.length > 0) {
    return { ok: false, message: formatProblems(inBodyOrder(problems, body)) };
  }

  const request = body as CreateGenerationRequest;
  const model = context.catalog.find(request.model)!;
  const ignored = ignoredMaterials(draft).map((name) => `input.${name}`);
  return {
    ok: true,
    request: {
      generation: { ...toGeneration(request, model), ...(ignored.length > 0 ? { ignored } : {}) },
      callbackUrl: request.callback_url ?? null,
      metadata: request.metadata ?? null,
    },
    model,
    ignored,
  };
}

/**
 * The message of a rule replaces the schema's message for the same field, because it is more
 * specific.
 */
function mergeProblems(problems: {
  readonly schemaProblems: readonly Problem[];
  readonly ruleProblems: readonly Problem[];
}): Problem[] {
  const paths = new Set(problems.ruleProblems.map((problem) => problem.path));
  return [
    ...problems.schemaProblems.filter((problem) => !paths.has(problem.path)),
    ...problems.ruleProblems,
  ];
}

const fieldOrder = knownPaths(CreateGenerationRequest);

/** Sorted by the field's row in docs/spec.md 2.2; stable within one field. */
function inContractOrder(problems: readonly Problem[]): Problem[] {
  const rowOf = (problem: Problem) => fieldOrder.indexOf(problem.path.split('[', 1)[0]!);
  return problems.toSorted((one, other) => rowOf(one) - rowOf(other));
}

/**
 * Sorted by where the fields are in the body, so that a reader finds them one after the other. What
 * is missing comes first.
 */
function inBodyOrder(problems: readonly Problem[], body: unknown): Problem[] {
  const fields = Object.entries(Object(body)).flatMap(([name, value]) => [
    name,
    ...(name === 'input' ? Object.keys(Object(value)).map((inner) => `input.${inner}`) : []),
  ]);
  const placeOf = ({ path }: Problem) => fields.indexOf(path.split('[', 1)[0]!);
  return problems.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * The request with every default filled in (docs/spec.md 2.2), those of the model where it lacks
 * one of the contract. Only called if no rule is broken.
 */
function toGeneration({ input }: CreateGenerationRequest, model: Model): Generation {
  const { limits } = model;
  const generationType = input.generation_type ?? defaultType(model);
  const isReference = generationType === 'reference-to-video';
  const seed = input.seed ?? defaults.seed;
  return {
    model: model.name,
    prompt: input.prompt.trim(),
    generationType,
    imageUrls: generationType === 'text-to-video' ? [] : [...(input.image_urls ?? [])],
    videoUrls: isReference ? [...(input.video_urls ?? [])] : [],
    audioUrls: isReference ? [...(input.audio_urls ?? [])] : [],
    duration: input.duration ?? limits.durationSeconds.default,
    aspectRatio:
      input.aspect_ratio ??
      (input.duration === editingDuration
        ? 'adaptive'
        : defaultOf(limits.aspectRatios[generationType], defaults.aspect_ratio)),
    resolution: input.resolution ?? limits.defaultResolution,
    generateAudio: input.generate_audio ?? limits.sound !== 'never',
    watermark: input.watermark ?? defaults.watermark,
    webSearch: input.web_search ?? defaults.web_search,
    returnLastFrame: input.return_last_frame ?? defaults.return_last_frame,
    // JSON has -0; providers and the database have one zero.
    seed: limits.seed ? seed + 0 : null,
    ...(Object.keys(input.options ?? {}).length > 0 ? { options: input.options! } : {}),
  };
}
