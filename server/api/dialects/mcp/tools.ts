/** The tools of the MCP server: create, wait, list, cancel, estimate, models and credits. */
import assert from 'node:assert/strict';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { GenerationInput } from '@vidgen/contract/create-generation.ts';
import { ModelId } from '@vidgen/contract/model-name.ts';
import { taskStatuses } from '@vidgen/contract/task-status.ts';
import { z } from 'zod';
import type { KeyIdentity } from '../../../accounts/keys/api-key.ts';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import { monotonicMs } from '../../../process/clock.ts';
import type { Endpoint } from '../../http/endpoint-definition.ts';
import { Counts, enforceRateLimit } from '../../http/enforce-rate-limit.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../../http/handler.ts';
import { parseBody } from '../../http/parse-request.ts';
import { getCredits, listModels } from '../../v1/account.ts';
import { createGeneration, createTask, estimateGeneration } from '../../v1/create-generation.ts';
import { cancelTask, getTask, listTasks } from '../../v1/tasks.ts';
import { detailsOf, RpcError } from './json-rpc.ts';

type Arguments = Readonly<Record<string, unknown>>;

type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: Readonly<Record<string, boolean>>;
  /** Has the permission and the rate limit of the tool. */
  readonly endpoint: Endpoint;
  readonly run: (
    services: ApiServices,
    request: ApiRequest,
    input: Arguments,
  ) => Promise<ApiResponse>;
};

/** Desktop hosts give up after 60 seconds. */
const waitSecondsMax = 50;

const generation = {
  model: ModelId.describe('A model of `list_models`.'),
  ...GenerationInput.shape,
};
const taskId = z.string().describe('The task, as `create_video` returned it.');
const reads = { readOnlyHint: true, openWorldHint: false } as const;
const nothing = z.strictObject({});

/** Runs an endpoint with other parts of the request. */
const through =
  (endpoint: Endpoint, partsOf: (input: Arguments) => Partial<ApiRequest> = () => ({})) =>
  (services: ApiServices, request: ApiRequest, input: Arguments): Promise<ApiResponse> =>
    endpoint.handler(services, { ...request, ...partsOf(input) });

const ofTask = ({ task_id }: Arguments) => ({ params: { id: String(task_id) }, query: {} });
const bodyOf = ({ model, callback_url, ...input }: Arguments) => ({
  body: { model, ...(callback_url === undefined ? {} : { callback_url }), input },
});

/**
 * The tools. Each one is an endpoint of `/v1`, with arguments in place of a path, a query and a
 * body: permission, rate limit, checks and effects are those of the endpoint.
 */
const tools: readonly Tool[] = [
  {
    name: 'list_models',
    title: 'List models',
    description: 'Lists the video models with their limits and their price in credits per second.',
    input: nothing,
    annotations: reads,
    endpoint: listModels,
    run: through(listModels),
  },
  {
    name: 'estimate_cost',
    title: 'Estimate cost',
    description: 'Checks a request and returns the credits it would cost. Creates nothing.',
    input: z.strictObject(generation),
    annotations: reads,
    endpoint: estimateGeneration,
    run: through(estimateGeneration, bodyOf),
  },
  {
    name: 'create_video',
    title: 'Create a video',
    description:
      'Creates a video generation task and reserves its credits, which are refunded if it fails. ' +
      'Returns the task ID at once; then call wait_for_video until the task is completed or ' +
      'failed. Set max_credits to what the person agreed to spend.',
    input: z.strictObject({
      ...generation,
      callback_url: z.string().optional().describe('Receives a webhook when the task is final.'),
      max_credits: z.int().min(1).optional().describe('Creates nothing if it would cost more.'),
      idempotency_key: z
        .string()
        .optional()
        .describe('Repeat a call with the same key and arguments to get the same task.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    endpoint: createGeneration,
    run: createVideo,
  },
  {
    name: 'get_task',
    title: 'Get a task',
    description: 'Returns a task with its status; a completed one has the URL of the video.',
    input: z.strictObject({ task_id: taskId }),
    annotations: reads,
    endpoint: getTask,
    run: through(getTask, ofTask),
  },
  {
    name: 'wait_for_video',
    title: 'Wait for a video',
    description:
      'Waits until a task is completed or failed, for at most 50 seconds, and returns it. While ' +
      'its status is queued or generating, call it again.',
    input: z.strictObject({
      task_id: taskId,
      seconds: z.int().min(1).max(waitSecondsMax).optional().describe('50 by default.'),
    }),
    annotations: reads,
    endpoint: getTask,
    run: waitForVideo,
  },
  {
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Lists the account’s tasks, newest first.',
    input: z.strictObject({
      status: z.enum(taskStatuses).optional(),
      model: ModelId.optional(),
      created_after: z.string().optional().describe('ISO 8601 with a zone.'),
      created_before: z.string().optional(),
      limit: z.int().min(1).max(100).optional().describe('20 by default.'),
      cursor: z.string().optional().describe('`next_cursor` of the page before.'),
    }),
    annotations: reads,
    endpoint: listTasks,
    run: through(listTasks, ({ limit, ...query }) => ({
      query: { ...query, ...(limit === undefined ? {} : { limit: String(limit) }) },
    })),
  },
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Cancels a task in progress and refunds it, if its provider can still stop it.',
    input: z.strictObject({ task_id: taskId }),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    endpoint: cancelTask,
    run: through(cancelTask, ofTask),
  },
  {
    name: 'get_balance',
    title: 'Get the balance',
    description: 'Returns the credits that can be spent, and those reserved by tasks in progress.',
    input: nothing,
    annotations: reads,
    endpoint: getCredits,
    run: through(getCredits),
  },
];

async function createVideo(
  services: ApiServices,
  request: ApiRequest,
  { max_credits, idempotency_key, ...input }: Arguments,
): Promise<ApiResponse> {
  const key = idempotency_key === undefined ? {} : { 'idempotency-key': String(idempotency_key) };
  const created = { ...request, headers: { ...request.headers, ...key }, ...bodyOf(input) };
  const creditsMax = max_credits as number | undefined;
  return await createTask(services, created, { createdBy: null, creditsMax });
}

/** One call of the status endpoint returns at the first change, which need not be the end. */
async function waitForVideo(
  services: ApiServices,
  request: ApiRequest,
  { seconds = waitSecondsMax, ...input }: Arguments,
): Promise<ApiResponse> {
  const endMs = monotonicMs() + Number(seconds) * 1000;
  for (;;) {
    const wait = String(Math.max(0, Math.floor((endMs - monotonicMs()) / 1000)));
    const parts = { ...request, ...ofTask(input), query: { wait } };
    const response = await getTask.handler(services, parts);
    const { status } = response.body as { status: string };
    const isOver = wait === '0' || request.abortSignal().aborted;
    if (isOver || status === 'completed' || status === 'failed') return response;
  }
}

type ToolResult = {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: object;
  readonly isError?: true;
};

/** A key sees what it may call: without `videos:create`, the tools that read. */
export const toolsOf = ({ permissions }: KeyIdentity): readonly Tool[] =>
  tools.filter(({ endpoint: { permission } }) => !permission || permissions.includes(permission));

export function findTool(name: unknown): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw new RpcError('invalidParams', `Unknown tool: ${String(name).slice(0, 100)}`);
}

export async function callTool(
  services: ApiServices,
  request: ApiRequest,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
): Promise<ToolResult> {
  const { identity, setHeaders } = request;
  const counts = new Counts();
  const { permission, rateLimit } = tool.endpoint;
  assert(identity);
  try {
    if (permission) requirePermission(identity, permission);
    // Every message has been counted as a read.
    if (rateLimit === 'create')
      await enforceRateLimit(services, rateLimit, { identity, setHeaders, ...counts });
    const parsed = parseBody(tool.input, input ?? {});
    const { body, headers } = await tool.run(services, request, parsed);
    const result = toolResult(body as object);
    const ignored = headers?.['vidgen-ignored'];
    if (ignored === undefined) return result;
    const names = argumentNames(String(ignored));
    const text = `Ignored, because generation_type does not use them: ${names}`;
    return { ...result, content: [...result.content, { type: 'text', text }] };
  } catch (error) {
    await counts.settle(error);
    if (!(error instanceof ApiError) || isFatal(error)) throw error;
    const text = { type: 'text', text: argumentNames(error.message) } as const;
    return { content: [text], structuredContent: { error: detailsOf(error) }, isError: true };
  }
}

/** Our messages name fields of the HTTP body, where most are in `input`. */
const argumentNames = (message: string): string => message.replace(/\binput\./g, '');

/** A key that was revoked meanwhile is rejected like one that was revoked before. */
const isFatal = ({ code }: ApiError): boolean =>
  code === 'internal_error' || code === 'invalid_api_key';

export const toolResult = (body: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: body,
});
