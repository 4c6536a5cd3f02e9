/**
 * A workflow of the operator's, as ComfyUI exports it for its API, with placeholders for what each
 * task decides. Its placeholders say what it makes: a task is given to the workflow that takes
 * exactly its files, and what would be dropped in silence is a trouble of the configuration.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import { placeholdersIn, placeholdersInKeys } from '../toolkit/placeholders.ts';
import { asRecord, asText } from '../toolkit/response-values.ts';

export type WorkflowSettings = {
  /** From where the service is started, or absolute. */
  readonly file: string;
  /** Whose video is the result, where several nodes have one. */
  readonly outputNode?: string | undefined;
  /** Frames a second that the workflow makes; `{{frames}}` is counted by it. */
  readonly fps?: number | undefined;
  /** Lengths it makes: one more than a multiple of this. */
  readonly frameStep?: number | undefined;
  /** Sides are multiples of this. */
  readonly block?: number | undefined;
};

export type Workflow = WorkflowSettings & {
  readonly graph: Readonly<Record<string, WorkflowNode>>;
  /** Placeholders of files: `first_frame`, `image_2`. */
  readonly files: ReadonlySet<string>;
  /** False where the length is that of a video it is given. */
  readonly setsLength: boolean;
  /** Nodes that read a file of the customer's. */
  readonly loaders: ReadonlySet<string>;
};

export type WorkflowNode = { readonly class_type: string; readonly inputs: object };

/** The end of a sentence about the setting that names the file. */
export type WorkflowProblem = { readonly problem: string };

export const plainNames: readonly string[] = [
  ...['prompt', 'seed', 'width', 'height', 'frames', 'seconds', 'fps', 'sound', 'operation'],
];
const fileNames = /^(first_frame|last_frame|(image|video|audio)_[1-9]\d?)$/;

export function readWorkflow(settings: WorkflowSettings): Workflow | WorkflowProblem {
  const graph = readGraph(settings.file);
  if ('problem' in graph) return graph as WorkflowProblem;
  const names = placeholdersIn(Object.values(graph).map(({ inputs }) => inputs));
  const problem = misplacedPlaceholder(graph, names) ?? missingPlaceholder(names, settings);
  if (problem !== null) return { problem };
  return {
    ...settings,
    graph,
    files: new Set([...names].filter((name) => fileNames.test(name))),
    setsLength: names.has('frames') || names.has('seconds'),
    loaders: new Set(
      Object.entries(graph)
        .filter(([, node]) => [...placeholdersIn(node)].some((name) => fileNames.test(name)))
        .map(([id]) => id),
    ),
  };
}

function readGraph(file: string): Workflow['graph'] | WorkflowProblem {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: 'names a file that does not exist' };
    return { problem: code ? `cannot be read: ${code}` : 'is no JSON' };
  }
  const graph = asRecord(content);
  if (Array.isArray(graph?.nodes)) {
    return { problem: 'is a workflow of the editor: export it for the API' };
  }
  const isNode = (node: unknown): boolean =>
    asText(asRecord(node)?.class_type) !== undefined &&
    asRecord(asRecord(node)?.inputs) !== undefined;
  if (!graph || Object.keys(graph).length === 0 || !Object.values(graph).every(isNode)) {
    return { problem: 'is no workflow for the API: nodes with class_type and inputs' };
  }
  return graph as Workflow['graph'];
}

/** Placeholders that nobody knows, or that stand where nothing is filled in. */
function misplacedPlaceholder(graph: Workflow['graph'], names: ReadonlySet<string>): string | null {
  const unknown = [...names].find((name) => !plainNames.includes(name) && !fileNames.test(name));
  if (unknown !== undefined) return `holds an unknown placeholder {{${unknown}}}`;
  const outside = Object.entries(graph).flatMap(([id, { inputs: _, ...rest }]) => [
    ...placeholdersIn([id, rest]),
  ]);
  const [stray] = [...outside.map((name) => `{{${name}}}`), ...placeholdersInKeys(graph)];
  return stray === undefined ? null : `holds ${stray} outside of the values of inputs`;
}

/** What a customer asks and pays for must arrive: text, length and size. */
function missingPlaceholder(names: ReadonlySet<string>, { fps }: WorkflowSettings): string | null {
  for (const name of ['prompt', 'width', 'height']) {
    if (!names.has(name)) return `lacks the placeholder {{${name}}}`;
  }
  if (!names.has('frames') && !names.has('seconds') && !names.has('video_1')) {
    return 'lacks {{frames}} or {{seconds}}: every video would have the same length';
  }
  if (fps === undefined && (names.has('frames') || names.has('fps'))) {
    return 'needs fps beside it: {{frames}} and {{fps}} are counted by it';
  }
  return names.has('last_frame') && !names.has('first_frame')
    ? 'takes a last frame without a first'
    : null;
}

export type TaskFile = {
  readonly placeholder: string;
  readonly kind: MaterialKind;
  /** In its list of the request, from 0. */
  readonly index: number;
};

/** The files of a task, under the names that workflows have for them. */
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
          ...[
            ['image', imageUrls],
            ['video', videoUrls],
            ['audio', audioUrls],
          ],
        ] as [MaterialKind, string[]][]
      ).flatMap(([kind, urls]) =>
        urls.map((_, index) => ({ placeholder: `${kind}_${index + 1}`, kind, index })),
      );
  }
}

/** The first that takes exactly these files, and sets the length or takes it from its source. */
export function workflowFor(
  workflows: readonly Workflow[],
  generation: Generation,
): Workflow | undefined {
  const wanted = filesOf(generation).map(({ placeholder }) => placeholder);
  return workflows.find(
    ({ files, setsLength }) =>
      setsLength === generation.duration > 0 &&
      files.size === wanted.length &&
      wanted.every((name) => files.has(name)),
  );
}

/** Why not, in words for the customer that begin with the field; null when it can be made. */
export function unsupportedReason(
  workflows: readonly Workflow[],
  generation: Generation,
  { makes4k }: { readonly makes4k: boolean },
): string | null {
  const { generationType, resolution, duration, watermark } = generation;
  // Whoever asks for a mark may have to show one: a video without it is not what was ordered.
  if (watermark) return 'input.watermark true cannot be made';
  // Not without being told: a model that cannot do it would bring the server down.
  if (resolution === '4k' && !makes4k) return 'input.resolution 4k cannot be made';
  if (workflowFor(workflows, generation)) return null;
  const otherLength = { ...generation, duration: duration > 0 ? -1 : 5 };
  if (workflowFor(workflows, otherLength)) return `input.duration ${duration} cannot be made`;
  const takesFiles = (start: RegExp) =>
    workflows.some(({ files }) => [...files].some((name) => start.test(name)));
  if (generationType === 'image-to-video' && takesFiles(/^first_frame$/)) {
    const frames = generation.imageUrls.length;
    return frames > 1
      ? 'input.image_urls with a last frame cannot be made, only with a first'
      : 'input.image_urls with a first frame alone cannot be made, only with a last';
  }
  if (generationType === 'reference-to-video' && takesFiles(/_\d+$/)) {
    const { imageUrls, videoUrls, audioUrls } = generation;
    const [images, videos, audios] = [imageUrls, videoUrls, audioUrls].map((urls) => urls.length);
    const counts = `${images} images, ${videos} videos, ${audios} sounds`;
    return `input.image_urls, video_urls and audio_urls cannot be used together as ${counts}`;
  }
  return `input.generation_type ${generationType} cannot be made`;
}
