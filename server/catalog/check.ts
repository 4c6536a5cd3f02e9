/**
 * A create request, judged: either the generation it asks for, defaults filled in, or one
 * sentence that names everything wrong with it. First all wrong types and unknown fields; only
 * when there is none, all broken rules, in the order of the contract's tables (decisions, "Error
 * message"). Never throws.
 */
import {
  CreateGenerationRequest,
  generationDefaults as defaults,
  type Generation,
} from '@vidgen/contract/create-generation.ts';
import type { GenerationType } from '@vidgen/contract/models.ts';
import { formatProblems, type Problem, problemsOf } from '@vidgen/contract/problem.ts';
import { knownPaths } from '@vidgen/contract/schema-paths.ts';
import type { Catalog } from './catalog.ts';
import { type CheckUrl, draftOf, ignoredMaterials } from './draft.ts';
import { models } from './models.ts';
import { rules } from './rules.ts';

export type CheckedGeneration =
  | {
      readonly ok: true;
      readonly generation: Generation;
      readonly callbackUrl: string | null;
      /** Paths of the fields that this mode does not use, for the header `vidgen-ignored`. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export function checkGeneration(
  body: unknown,
  context: { readonly catalog: Catalog; readonly checkUrl: CheckUrl },
): CheckedGeneration {
  const schemaProblems = problemsOf(CreateGenerationRequest, body);
  const shapeProblems = schemaProblems.filter((problem) => problem.kind === 'shape');
  if (shapeProblems.length > 0) return { ok: false, message: formatProblems(shapeProblems) };

  const draft = draftOf(body);
  const ruleProblems = rules.flatMap((rule) => rule(draft, context));
  const problems = inContractOrder(merged({ schemaProblems, ruleProblems }));
  if (problems.length > 0) return { ok: false, message: formatProblems(problems) };

  const request = body as CreateGenerationRequest;
  return {
    ok: true,
    generation: resolved(request),
    callbackUrl: request.callback_url ?? null,
    ignored: ignoredMaterials(draft).map((name) => `input.${name}`),
  };
}

/** What our rules say of a field is closer to the point than what its schema says of it. */
function merged(problems: {
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

/** By the row of the field in Spec 2.2; of one field, in the order they were found. */
function inContractOrder(problems: readonly Problem[]): Problem[] {
  const rowOf = (problem: Problem) => fieldOrder.indexOf(problem.path.replace(/\[.*$/s, ''));
  return problems.toSorted((one, other) => rowOf(one) - rowOf(other));
}

/** The request with every default filled in (Spec 2.2). Only called when no rule is broken. */
function resolved({ model, input }: CreateGenerationRequest): Generation {
  const generationType: GenerationType = input.generation_type ?? defaults.generation_type;
  const isReference = generationType === 'reference-to-video';
  const seed = input.seed ?? defaults.seed;
  return {
    model,
    prompt: input.prompt.trim(),
    generationType,
    imageUrls: generationType === 'text-to-video' ? [] : [...(input.image_urls ?? [])],
    videoUrls: isReference ? [...(input.video_urls ?? [])] : [],
    audioUrls: isReference ? [...(input.audio_urls ?? [])] : [],
    duration: input.duration ?? defaults.duration,
    aspectRatio: input.aspect_ratio ?? defaults.aspect_ratio,
    resolution: input.resolution ?? defaults.resolution,
    generateAudio: input.generate_audio ?? defaults.generate_audio,
    watermark: input.watermark ?? defaults.watermark,
    webSearch: input.web_search ?? defaults.web_search,
    returnLastFrame: input.return_last_frame ?? defaults.return_last_frame,
    // JSON can say -0; there is only one zero to a provider and in the database.
    seed: models[model].limits.seed ? seed + 0 : null,
  };
}
