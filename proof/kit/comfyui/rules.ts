/** What the fake checks before it queues a prompt, as `validate_prompt` of ComfyUI does. */
import { asRecord } from '../../../server/providers/toolkit/response-values.ts';
import { type FakeResponse, json } from '../fake-upstream.ts';
import { type NodeInput, nodes } from './nodes.ts';

/** The response of aiohttp to a path without a route. */
export const noRoute: FakeResponse = {
  status: 404,
  body: '404: Not Found',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};

/** The response of aiohttp to an exception, such as a body that is not JSON. */
export const internalError: FakeResponse = {
  status: 500,
  body: '500 Internal Server Error\n\nServer got itself in trouble',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};

export type Graph = Record<string, { class_type?: string; inputs: Record<string, unknown> }>;

type NodeError = {
  readonly type: string;
  readonly message: string;
  readonly details: string;
  readonly extra_info: object;
};

const canonicalUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the rejection of a prompt, or null when it is queued. */
export function validate(
  body: unknown,
  inputFiles: ReadonlyMap<string, Buffer>,
): FakeResponse | null {
  const { prompt, prompt_id: id = null } = asRecord(body) ?? {};
  const graph = prompt as Graph | undefined;
  if (!graph) return errorResponse('no_prompt', 'No prompt provided', 'No prompt provided');
  if (id !== null && !canonicalUuid.test(String(id))) {
    const details = 'prompt_id must be a UUID string in canonical lowercase hyphenated form';
    return errorResponse('invalid_prompt_id', 'prompt_id must be a valid UUID', details);
  }
  for (const [nodeId, node] of Object.entries(graph)) {
    const details = `Node ID '#${nodeId}'`;
    if (node.class_type === undefined) {
      const message = 'Cannot execute because a node is missing the class_type property.';
      return errorResponse('invalid_prompt', message, details);
    }
    if (!nodes[node.class_type]) {
      const message = `Cannot execute because node ${node.class_type} does not exist.`;
      return errorResponse('invalid_prompt', message, details);
    }
  }
  const outputs = outputsOf(graph);
  if (outputs.length === 0) return errorResponse('prompt_no_outputs', 'Prompt has no outputs', '');
  const validated = new Map<string, NodeError[]>();
  for (const output of outputs) validateNode(output, { graph, inputFiles, validated });
  const wrong = [...validated].filter(([, errors]) => errors.length > 0);
  if (wrong.length === 0) return null;
  // Only errors of the output nodes themselves are in the details.
  const ownErrors = outputs.flatMap((output) => validated.get(output) ?? []);
  const lines = ownErrors.map(({ message, details }) => `${message}: ${details}`);
  return errorResponse(
    'prompt_outputs_failed_validation',
    'Prompt outputs failed validation',
    lines.join('\n'),
    wrong.map(([nodeId, errors]) => [
      nodeId,
      { errors, dependent_outputs: outputs, class_type: graph[nodeId]!.class_type },
    ]),
  );
}

/** The nodes that publish results. Nodes that none of them depends on are not even validated. */
export const outputsOf = (graph: Graph): string[] =>
  Object.keys(graph).filter((id) => nodes[graph[id]!.class_type!]?.isOutput);

type Validation = {
  readonly graph: Graph;
  readonly inputFiles: ReadonlyMap<string, Buffer>;
  readonly validated: Map<string, NodeError[]>;
};

function validateNode(id: string, validation: Validation): void {
  const { graph, inputFiles, validated } = validation;
  if (validated.has(id)) return;
  const { class_type, inputs } = graph[id]!;
  const { required, optional = {}, file } = nodes[class_type!]!;
  const errors: NodeError[] = [];
  validated.set(id, errors);
  for (const [name, input] of Object.entries({ ...required, ...optional })) {
    const value = inputs[name];
    if (value === undefined) {
      if (name in required) {
        errors.push(inputError('required_input_missing', 'Required input is missing', name, name));
      }
    } else if (Array.isArray(value)) {
      errors.push(...validateLink(name, value, input, validation));
    } else {
      errors.push(...validateValue(name, value, input));
    }
  }
  const fileName = file === undefined ? undefined : inputs[file];
  if (file !== undefined && fileName !== undefined && !inputFiles.has(String(fileName))) {
    const details = `${file} - Invalid ${file} file: ${fileName}`;
    const message = 'Custom validation failed for node';
    errors.push(inputError('custom_validation_failed', message, details, file));
  }
}

function validateLink(
  name: string,
  link: readonly unknown[],
  [type]: NodeInput,
  validation: Validation,
): NodeError[] {
  if (link.length !== 2) {
    const message = 'Bad linked input, must be a length-2 list of [node_id, slot_index]';
    return [inputError('bad_linked_input', message, name, name)];
  }
  const [from, slot] = link as [string, number];
  const source = validation.graph[from];
  const received = nodes[source?.class_type ?? '']?.outputs[slot];
  if (!source || received === undefined) {
    const message = 'Exception when validating node';
    const details = source ? 'tuple index out of range' : `'${from}'`;
    return [inputError('exception_during_validation', message, details, name)];
  }
  if (received !== type) {
    const details = `${name}, received_type(${received}) mismatch input_type(${type})`;
    const message = 'Return type mismatch between linked nodes';
    return [inputError('return_type_mismatch', message, details, name)];
  }
  validateNode(from, validation);
  return [];
}

function validateValue(name: string, value: unknown, [type, limits = {}]: NodeInput): NodeError[] {
  if (typeof type !== 'string') {
    const isKnown = type.includes(String(value));
    const details = `${name}: '${value}' not in ${JSON.stringify(type)}`;
    return isKnown ? [] : [inputError('value_not_in_list', 'Value not in list', details, name)];
  }
  if (type !== 'INT' && type !== 'FLOAT') return [];
  // Python converts text with a number in it, and nothing else.
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number)) {
    const message = `Failed to convert an input value to a ${type} value`;
    return [inputError('invalid_input_type', message, `${name}, ${value}`, name)];
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  if (number < min) {
    const message = `Value ${number} smaller than min of ${min}`;
    return [inputError('value_smaller_than_min', message, name, name)];
  }
  return number > max
    ? [inputError('value_bigger_than_max', `Value ${number} bigger than max of ${max}`, name, name)]
    : [];
}

const inputError = (
  type: string,
  message: string,
  details: string,
  inputName: string,
): NodeError => ({ type, message, details, extra_info: { input_name: inputName } });

export function errorResponse(
  type: string,
  message: string,
  details: string,
  nodeErrors: readonly (readonly [string, object])[] = [],
): FakeResponse {
  const error = { type, message, details, extra_info: {} };
  return json(400, { error, node_errors: Object.fromEntries(nodeErrors) });
}
