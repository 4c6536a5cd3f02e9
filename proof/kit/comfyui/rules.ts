/** A prompt as the fake accepts it, and ComfyUI's error responses. */
import { type FakeResponse, json } from '../fake-upstream.ts';

/** The response of aiohttp to a path without a route. */
export const noRoute: FakeResponse = {
  status: 404,
  body: '404: Not Found',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};

export type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

const canonicalUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The input of each node that names an uploaded file. */
const fileInputs: Readonly<Record<string, string>> = {
  LoadImage: 'image',
  LoadVideo: 'file',
  LoadAudio: 'audio',
};
/** Inputs that are numbers, unless they are linked to another node. */
const numbers = ['seed', 'steps', 'cfg', 'width', 'height', 'length', 'fps'];

/** Returns the rejection of a prompt, or null when it is queued. */
export function validate(
  { prompt: graph, prompt_id: id }: { readonly prompt?: Graph; readonly prompt_id?: string },
  inputFiles: ReadonlyMap<string, Buffer>,
): FakeResponse | null {
  if (!graph) return errorResponse('no_prompt', 'No prompt provided', '');
  if (!canonicalUuid.test(String(id))) {
    return errorResponse('invalid_prompt_id', 'prompt_id must be a valid UUID', '');
  }
  const nodeErrors = Object.entries(graph).flatMap(([node, { class_type, inputs }]) => {
    const file = fileInputs[class_type];
    const error =
      file !== undefined && !inputFiles.has(String(inputs[file]))
        ? `${file} - Invalid ${file} file: ${inputs[file]}`
        : numbers.find((name) => !['undefined', 'number', 'object'].includes(typeof inputs[name]));
    const details = { type: 'custom_validation_failed', message: 'Custom validation failed' };
    return error ? [[node, { errors: [{ ...details, details: error }], class_type }] as const] : [];
  });
  const message = 'Prompt outputs failed validation';
  return nodeErrors.length === 0
    ? null
    : errorResponse('prompt_outputs_failed_validation', message, '', nodeErrors);
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
