/** What the fake checks before it queues a prompt, with ComfyUI's own messages. */
import { asRecord } from '../../../server/providers/toolkit/response-values.ts';
import { type FakeResponse, json } from '../fake-upstream.ts';

/** The response of aiohttp to a path without a route. */
export const noRoute: FakeResponse = {
  status: 404,
  body: '404: Not Found',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};

export type Graph = Record<string, { class_type?: string; inputs: Record<string, unknown> }>;

/** The nodes that publish results. */
const outputNodes = ['SaveVideo', 'SaveWEBM', 'SaveAnimatedWEBP', 'VHS_VideoCombine'];
const loaders: Readonly<Record<string, string>> = {
  LoadImage: 'image',
  LoadVideo: 'file',
  LoadAudio: 'audio',
};
const known = [
  ...['UNETLoader', 'CLIPLoader', 'VAELoader', 'CLIPTextEncode', 'EmptyHunyuanLatentVideo'],
  ...['WanImageToVideo', 'WanFirstLastFrameToVideo', 'KSampler', 'VAEDecode', 'CreateVideo'],
  ...['GetVideoComponents', 'VidgenReferences', ...outputNodes, ...Object.keys(loaders)],
];
/** Inputs that must be numbers; ComfyUI does not convert other text. */
const numbers = ['seed', 'width', 'height', 'length', 'fps', 'steps', 'cfg', 'batch_size'];

/** Returns the rejection of a prompt, or null when it is queued. */
export function validate(
  body: unknown,
  inputFiles: ReadonlyMap<string, Buffer>,
): FakeResponse | null {
  const graph = asRecord(body)?.prompt as Graph | undefined;
  if (!graph) return errorResponse('no_prompt', 'No prompt provided', 'No prompt provided');
  for (const [id, node] of Object.entries(graph)) {
    const details = `Node ID '#${id}'`;
    if (node.class_type === undefined) {
      const message = 'Cannot execute because a node is missing the class_type property.';
      return errorResponse('invalid_prompt', message, details);
    }
    if (!known.includes(node.class_type)) {
      const message = `Cannot execute because node ${node.class_type} does not exist.`;
      return errorResponse('invalid_prompt', message, details);
    }
  }
  const nodes = Object.entries(graph);
  if (!nodes.some(([, node]) => outputNodes.includes(node.class_type!))) {
    return errorResponse('prompt_no_outputs', 'Prompt has no outputs', '');
  }
  const wrong = nodes.flatMap(([id, node]) => {
    const error = wrongInput(node, inputFiles);
    return error ? [[id, { errors: [error], class_type: node.class_type }] as const] : [];
  });
  if (wrong.length === 0) return null;
  const details = wrong.map(([, { errors }]) => `${errors[0]!.message}: ${errors[0]!.details}`);
  const type = 'prompt_outputs_failed_validation';
  return errorResponse(type, 'Prompt outputs failed validation', details.join('\n'), wrong);
}

function wrongInput({ class_type, inputs }: Graph[string], files: ReadonlyMap<string, Buffer>) {
  for (const name of numbers) {
    const value = inputs[name];
    if (value === undefined || Array.isArray(value)) continue;
    if (typeof value === 'number') continue;
    const message = 'Failed to convert an input value to a INT value';
    return { type: 'invalid_input_type', message, details: `${name}, ${String(value)}` };
  }
  const input = loaders[class_type!];
  const file = input === undefined ? undefined : inputs[input];
  if (input === undefined || (typeof file === 'string' && files.has(file))) return null;
  const details = `${input} - Invalid ${input} file: ${String(file)}`;
  return {
    type: 'custom_validation_failed',
    message: 'Custom validation failed for node',
    details,
  };
}

export function errorResponse(
  type: string,
  message: string,
  details: string,
  nodeErrors: readonly (readonly [string, object])[] = [],
): FakeResponse {
  const error = { type, message, details, extra_info: {} };
  return json(400, { error, node_errors: Object.fromEntries(nodeErrors) });
}
