/**
 * A workflow as ComfyUI exports it in API format, with placeholders for the values of a task. A
 * task runs in the workflow whose placeholders take exactly its files. A workflow that would
 * ignore what a customer pays for is a configuration error.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import { z } from 'zod';
import { cannotMake, cannotMakeLastFrame } from '../toolkit/generation-input.ts';
import { isOptionPlaceholder, optionsIn, unsupportedOption } from '../toolkit/options.ts';
import { placeholdersIn, placeholdersInKeys, unknownPlaceholder } from '../toolkit/placeholders.ts';
import { asRecord, asText } from '../toolkit/response-values.ts';

export const WorkflowSettings = z.strictObject({
  /** Exported in API format; relative to the working directory, or absolute. */
  file: z.string().min(1).optional(),
  /** The exported workflow itself, instead of a file. */
  graph: z.record(z.string(), z.unknown()).optional(),
  /** The node whose video is the result, when several nodes have one. */
  outputNode: z.string().min(1).optional(),
  /** Frames per second of the output; `{{frames}}` depends on it. */
  fps: z.number().positive().optional(),
  /** The number of frames is a multiple of this, plus one; 4 by default. */
  frameStep: z.int().positive().optional(),
  /** Sides are multiples of this many pixels; 16 by default. */
  block: z.int().positive().optional(),
});
export type WorkflowSettings = z.infer<typeof WorkflowSettings>;

export type Workflow = Omit<WorkflowSettings, 'graph'> & {
  readonly graph: Readonly<Record<string, WorkflowNode>>;
  /** Placeholders of files: `first_frame`, `image_2`. */
  readonly files: ReadonlySet<string>;
  /** False when the length is that of an input video. */
  readonly setsLength: boolean;
  /** Names of options of a declared model. */
  readonly options: ReadonlySet<string>;
  /** Ids of nodes that read a customer's file. */
  readonly loaders: ReadonlySet<string>;
};

type WorkflowNode = { readonly class_type: string; readonly inputs: object };

/** Continues a message that begins with the setting of the file. */
type WorkflowProblem = { readonly problem: string };

const plainNames: readonly string[] = [
  ...['prompt', 'seed', 'width', 'height', 'frames', 'seconds', 'fps', 'sound', 'operation'],
];
const fileNames = /^(first_frame|last_frame|(image|video|audio)_[1-9]\d?)$/;
const exampleFiles = ['first_frame', 'last_frame', 'image_1', 'video_1', 'audio_1'];

export function readWorkflow(settings: WorkflowSettings): Workflow | WorkflowProblem {
  const graph = readGraph(settings);
  if ('problem' in graph) return graph as WorkflowProblem;
  const names = placeholdersIn(Object.values(graph).map(({ inputs }) => inputs));
  const problem = misplacedPlaceholder(graph, names) ?? missingPlaceholder(names, settings);
  if (problem !== null) return { problem };
  return {
    ...settings,
    graph,
    files: new Set([...names].filter((name) => fileNames.test(name))),
    setsLength: names.has('frames') || names.has('seconds'),
    options: optionsIn(graph),
    loaders: new Set(
      Object.entries(graph)
        .filter(([, node]) => [...placeholdersIn(node)].some((name) => fileNames.test(name)))
        .map(([id]) => id),
    ),
  };
}

function readGraph({ file, graph: given }: WorkflowSettings): Workflow['graph'] | WorkflowProblem {
  if ((file === undefined) === (given === undefined)) {
    return { problem: 'is required, or graph, and only one of them' };
  }
  let content: unknown = given;
  try {
    if (file !== undefined) content = JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: 'names a file that does not exist' };
    return { problem: code ? `cannot be read: ${code}` : 'is not JSON' };
  }
  const graph = asRecord(content);
  if (Array.isArray(graph?.nodes)) {
    return { problem: 'is a workflow of the editor: export it in API format' };
  }
  const isNode = (node: unknown): boolean =>
    asText(asRecord(node)?.class_type) !== undefined &&
    asRecord(asRecord(node)?.inputs) !== undefined;
  if (!graph || Object.keys(graph).length === 0 || !Object.values(graph).every(isNode)) {
    return { problem: 'is not a workflow in API format: nodes with class_type and inputs' };
  }
  return graph as Workflow['graph'];
}

/** Finds unknown placeholders, and placeholders where no value is filled in. */
function misplacedPlaceholder(graph: Workflow['graph'], names: ReadonlySet<string>): string | null {
  const unknown = [...names].find(
    (name) => !plainNames.includes(name) && !fileNames.test(name) && !isOptionPlaceholder(name),
  );
  if (unknown !== undefined) return unknownPlaceholder(unknown, [...plainNames, ...exampleFiles]);
  const outside = Object.entries(graph).flatMap(([id, { inputs: _, ...rest }]) => [
    ...placeholdersIn([id, rest]),
  ]);
  const [stray] = [...outside.map((name) => `{{${name}}}`), ...placeholdersInKeys(graph)];
  return stray === undefined ? null : `has ${stray} outside the values of inputs`;
}

/** Prompt, length and size must have a placeholder: the customer pays for them. */
function missingPlaceholder(names: ReadonlySet<string>, { fps }: WorkflowSettings): string | null {
  for (const name of ['prompt', 'width', 'height']) {
    if (!names.has(name)) return `lacks the placeholder {{${name}}}`;
  }
  if (!names.has('frames') && !names.has('seconds') && !names.has('video_1')) {
    return 'lacks {{frames}} or {{seconds}}: every video would have the same length';
  }
  if (fps === undefined && (names.has('frames') || names.has('fps'))) {
    return 'requires the setting fps for {{frames}} and {{fps}}';
  }
  return names.has('last_frame') && !names.has('first_frame')
    ? 'takes a last frame without a first'
    : null;
}

type TaskFile = {
  readonly placeholder: string;
  readonly kind: MaterialKind;
  /** Position in its list of the request, from 0. */
  readonly index: number;
};

/** Returns the files of a task with the placeholders that workflows use for them. */
export function filesOf({ generationType, ...lists }: Generation): TaskFile[] {
  const { imageUrls, videoUrls, audioUrls } = lists;
  switch (generationType) {
    case 'text-to-video':
      return [];
    case 'image-to-video':
      return imageUrls.map((_, index) => ({
        placeholder: index === 0 ? 'first_frame' : 'last_frame',
        kind: 'image',
        index,
      }));
    case 'reference-to-video':
      return (
        [
          ['image', imageUrls],
          ['video', videoUrls],
          ['audio', audioUrls],
        ] as const
      ).flatMap(([kind, urls]) =>
        urls.map((_, index) => ({ placeholder: `${kind}_${index + 1}`, kind, index })),
      );
  }
}

/** Returns the first workflow that takes exactly the task's files, its options and its length. */
export function workflowFor(
  workflows: readonly Workflow[],
  generation: Generation,
): Workflow | undefined {
  const wanted = filesOf(generation).map(({ placeholder }) => placeholder);
  return workflows.find(
    ({ files, options, setsLength }) =>
      unsupportedOption(generation, options) === null &&
      setsLength === generation.duration > 0 &&
      files.size === wanted.length &&
      wanted.every((name) => files.has(name)),
  );
}

/** Returns why a generation cannot be made, as a message for the customer, or null. */
export function unsupportedReason(
  workflows: readonly Workflow[],
  generation: Generation,
  { makes4k }: { readonly makes4k: boolean },
): string | null {
  const { generationType, resolution, duration, watermark } = generation;
  // Customers may be obliged to show a watermark, so it is never silently omitted.
  if (watermark) return cannotMake('watermark', true);
  // Only when configured: a model that cannot make it may crash the server.
  if (resolution === '4k' && !makes4k) return cannotMake('resolution', resolution);
  if (workflowFor(workflows, generation)) return null;
  const plain = workflowFor(workflows, { ...generation, options: {} });
  if (plain) return unsupportedOption(generation, plain.options);
  const otherLength = { ...generation, duration: duration > 0 ? -1 : 5 };
  if (workflowFor(workflows, otherLength)) return cannotMake('duration', duration);
  const takesFiles = (start: RegExp) =>
    workflows.some(({ files }) => [...files].some((name) => start.test(name)));
  if (generationType === 'image-to-video' && takesFiles(/^first_frame$/)) {
    const frames = generation.imageUrls.length;
    return frames > 1
      ? cannotMakeLastFrame
      : 'input.image_urls without a last frame is not supported';
  }
  if (generationType === 'reference-to-video' && takesFiles(/_\d+$/)) {
    const { imageUrls, videoUrls, audioUrls } = generation;
    const [images, videos, audios] = [imageUrls, videoUrls, audioUrls].map((urls) => urls.length);
    const counts = `${images} images, ${videos} videos, ${audios} audio files`;
    return `input.image_urls, video_urls and audio_urls with ${counts} is not supported`;
  }
  return cannotMake('generation_type', generationType);
}
