/** Creates, reads, lists and deletes tasks through ModelArk's API. */
import assert from 'node:assert/strict';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  ModelArkCreateRequest,
  ModelArkCreateResponse,
  ModelArkErrorResponse,
  ModelArkListQuery,
  ModelArkListResponse,
  ModelArkParams,
  ModelArkTask,
} from '@vidgen/contract/modelark.ts';
import { z } from 'zod';
import { requirePermission } from '../../../accounts/keys/authenticate.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Model } from '../../../catalog/models.ts';
import { cancel } from '../../../lifecycle/cancel.ts';
import { announceChange } from '../../../lifecycle/settle/follow-ups.ts';
import { readPage } from '../../../lifecycle/upkeep/search-tasks.ts';
import { nowMs } from '../../../process/clock.ts';
import { isFinal, type Task } from '../../../tasks/task.ts';
import { isTaskId } from '../../../tasks/task-id.ts';
import { listTaskPage } from '../../../tasks/task-pages.ts';
import { endpoint, jsonResponse } from '../../http/endpoint.ts';
import type { Examples } from '../../http/endpoint-definition.ts';
import { readInSlot } from '../../http/page-slots.ts';
import { parseQuery } from '../../http/parse-request.ts';
import { taskId } from '../../http/samples.ts';
import { deleteFor, findOwnTask, readKnownTask } from '../../v1/tasks.ts';
import { createTranslated } from '../translated-create.ts';
import { formatModelArkError, ModelArkError } from './errors.ts';
import { modelArkStatus, modelArkView, outcomesNamed } from './task-view.ts';
import { translateCreate } from './translate-create.ts';

const modelArkDefinition = {
  auth: 'key',
  formatError: formatModelArkError,
  errorSchema: ModelArkErrorResponse,
} as const;

const text = { type: 'text', text: 'A paper boat drifts across a lake at dusk' };

export const modelArkExamples = {
  'text-to-video': [
    'Text to video',
    { model: 'vidgen-2-5', content: [text], resolution: '720p', ratio: '16:9', duration: 5 },
  ],
  'first-frame': [
    'A first and a last frame',
    {
      model: 'vidgen-2-5',
      content: [
        text,
        {
          type: 'image_url',
          image_url: { url: 'https://media.example.com/boat.png' },
          role: 'first_frame',
        },
        {
          type: 'image_url',
          image_url: { url: 'https://media.example.com/swan.png' },
          role: 'last_frame',
        },
      ],
      duration: 8,
    },
  ],
} as const satisfies Examples;

const head = {
  id: taskId,
  model: 'vidgen-2-5',
  created_at: 1_794_738_900,
  service_tier: 'default',
  execution_expires_after: 172_800,
  priority: 0,
};

const queuedModelArkTask = { ...head, status: 'queued', updated_at: 1_794_738_900 };

const succeededModelArkTask = {
  ...head,
  status: 'succeeded',
  updated_at: 1_794_739_034,
  error: null,
  content: { video_url: `https://videos.example.com/results/${taskId}/1.mp4?signature=abc` },
  usage: { completion_tokens: 40, total_tokens: 40 },
  resolution: '720p',
  ratio: '16:9',
  duration: 5,
  generate_audio: true,
  draft: false,
  output_format: 'mp4',
};

export const findModel = ({ find, aliases }: Catalog, name: string): Model | undefined =>
  find(name) ?? find(aliases.get(name) ?? '');

/**
 * Creates a task through ModelArk's API. It is accepted and paid for like any other; its callbacks
 * have ModelArk's shape.
 */
const createModelArkTask = endpoint({
  parsesItself: true,
  ...modelArkDefinition,
  operationId: 'createModelArkTask',
  method: 'POST',
  path: '/api/v3/contents/generations/tasks',
  summary: 'Create a task',
  description:
    'Takes the body of ModelArk’s API and does the same as `POST /v1/videos/generations`. ' +
    'A parameter that this service does not have is refused by name.',
  permission: 'videos:create',
  rateLimit: 'create',
  body: ModelArkCreateRequest,
  materialBody: 'json',
  requestHeaders: ['Idempotency-Key'],
  requestExamples: modelArkExamples,
  responses: {
    200: jsonResponse(
      'The task is accepted and its credits are reserved.',
      ModelArkCreateResponse,
      { accepted: ['Accepted', { id: taskId }] },
    ),
  },
  errors: {
    insufficient_credits: true,
    invalid_request: 'duration must be 4 to 30 for vidgen-2-5 (got 45)',
    not_found:
      'model "seedance-9" is not served here; use a model of GET /v1/models, or ask the ' +
      'operator for an alias',
  },
  async handler(services, request) {
    const { lifecycle } = services;
    const translated = translateCreate(request.body, (name) => findModel(lifecycle.catalog, name));
    const { created, headers } = await createTranslated(services, request, translated);
    const { taskId: id } = created;
    if (translated.body.callback_url !== undefined) announceChange(lifecycle, id);
    return { body: { id }, headers: { ...headers } };
  },
});

/**
 * Returns a task as ModelArk does. Clients of that API start again, and pay again, when a read
 * fails with a status that can be retried, so a read waits for the database and the rate limit
 * instead.
 */
const getModelArkTask = endpoint({
  ...modelArkDefinition,
  operationId: 'getModelArkTask',
  method: 'GET',
  path: '/api/v3/contents/generations/tasks/:id',
  summary: 'Get a task',
  permission: 'tasks:read',
  clientsRetryByCreating: true,
  params: ModelArkParams,
  responses: {
    200: jsonResponse('The task.', ModelArkTask, {
      queued: ['In progress', queuedModelArkTask],
      succeeded: ['Succeeded', succeededModelArkTask],
    }),
  },
  async handler(services, request) {
    const task = await readKnownTask(services, request);
    return { body: modelArkView(task, services.lifecycle.resultUrl) };
  },
});

/** ModelArk keeps a task for this long. */
const listedMs = 7 * 86_400_000;
/** What 500 pages of 500 can show; a longer list is not counted further. */
const countMax = 250_000;
const repeatable = ['filter.status', 'filter.task_ids', 'filter.model'] as const;

const listModelArkTasks = endpoint({
  parsesItself: true,
  ...modelArkDefinition,
  operationId: 'listModelArkTasks',
  method: 'GET',
  path: '/api/v3/contents/generations/tasks',
  summary: 'List tasks',
  description: 'Newest first: the tasks of the last seven days in the mode of the key.',
  permission: 'tasks:read',
  query: ModelArkListQuery,
  responses: {
    200: jsonResponse('A page of tasks, and how many there are.', ModelArkListResponse, {
      page: ['Two tasks', { total: 2, items: [queuedModelArkTask, succeededModelArkTask] }],
    }),
  },
  errors: { invalid_request: 'page_size must be an integer of 1 to 500 (got "many")' },
  async handler({ lifecycle }, { identity, query }) {
    assert(identity);
    const { page_num = 1, page_size = 20 } = parseQuery(GivenOnce, query);
    const [statuses, ids, models] = repeatable.map((name) => valuesOf(query[name]));
    const { accountId, mode } = identity;
    const filter = {
      accountId,
      mode,
      outcomes: statuses ? outcomesNamed(statuses) : null,
      ids: ids?.filter(isTaskId) ?? null,
      models: models?.map((name) => findModel(lifecycle.catalog, name)?.name ?? name) ?? null,
      createdSince: new Date(nowMs() - listedMs),
      offset: (page_num - 1) * page_size,
      limit: page_size,
      countMax,
    };
    const { total, tasks } = await readInSlot({ accountId }, () =>
      readPage(lifecycle.db, (tx) => listTaskPage(tx, filter)),
    );
    return { body: { total, items: tasks.map((task) => modelArkView(task, lifecycle.resultUrl)) } };
  },
});

const GivenOnce = ModelArkListQuery.pick({
  page_num: true,
  page_size: true,
  'filter.service_tier': true,
});

/** Undefined if the parameter is missing or empty. */
function valuesOf(value: unknown): string[] | undefined {
  const values = [value ?? []].flat().map(String).filter(isClean);
  return value === undefined || value === '' ? undefined : values;
}

/** PostgreSQL rejects NUL in text; no value of ours contains it. */
const isClean = (text: string): boolean => !text.includes('\0');

const deleteModelArkTask = endpoint({
  ...modelArkDefinition,
  operationId: 'deleteModelArkTask',
  method: 'DELETE',
  path: '/api/v3/contents/generations/tasks/:id',
  summary: 'Cancel or delete a task',
  description:
    'A queued task is cancelled and refunded. A running one only when its provider confirms that ' +
    'it stopped; otherwise the response is 409 `InvalidAction.RunningTaskDeletion`. A final one ' +
    'is deleted, which takes the permission `tasks:delete`, too. A key cancels and deletes tasks ' +
    'of its own mode.',
  permission: 'tasks:cancel',
  params: ModelArkParams,
  responses: {
    200: jsonResponse('The task is cancelled or deleted.', z.strictObject({}), {
      cancelled: ['Cancelled', {}],
    }),
  },
  errors: {
    invalid_request: 'The refund of this task is not resolved yet; delete the task after that.',
  },
  async handler(services, request) {
    const found = await findOwnTask(services, request, { ofKeyMode: true });
    if (isFinal(found)) {
      requirePermission(request.identity!, 'tasks:delete');
      await deleteFor(services, request, found);
      return { body: {} };
    }
    await cancel(services.lifecycle, found, request).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
      const current = (await services.tasks.find(found.id)) ?? found;
      throw isFinal(current) ? alreadyFinal(current) : stillRunning(error.message);
    });
    return { body: {} };
  },
});

const alreadyFinal = (task: Task): ApiError =>
  invalidRequest(
    `The task is already ${modelArkStatus(task)}; only tasks in progress can be canceled.`,
  );

const stillRunning = (message: string): ApiError =>
  new ModelArkError('invalid_request', {
    modelArkCode: 'InvalidAction.RunningTaskDeletion',
    message,
    status: 409,
  });

export const modelArkEndpoints = [
  createModelArkTask,
  getModelArkTask,
  listModelArkTasks,
  deleteModelArkTask,
];
