/** Lists the account's tasks of the last week in the key's mode, as ModelArk does. */
import assert from 'node:assert/strict';
import {
  ModelArkErrorResponse,
  ModelArkListQuery,
  ModelArkListResponse,
} from '@vidgen/contract/modelark.ts';
import { readPage } from '../../../lifecycle/upkeep/search-tasks.ts';
import { nowMs } from '../../../process/clock.ts';
import { isTaskId } from '../../../tasks/task-id.ts';
import { listTaskPage } from '../../../tasks/task-pages.ts';
import { endpoint } from '../../http/endpoint.ts';
import { readInSlot } from '../../http/page-slots.ts';
import { parseQuery } from '../../http/parse-request.ts';
import { formatModelArkError } from './errors.ts';
import { findModel } from './find-model.ts';
import { queuedModelArkTask, succeededModelArkTask } from './samples.ts';
import { modelArkView, outcomesNamed } from './task-view.ts';

/** As long as ModelArk keeps a task. */
const listedMs = 7 * 86_400_000;
/** What 500 pages of 500 can show; a longer list is not counted further. */
const countMax = 250_000;
const repeatable = ['filter.status', 'filter.task_ids', 'filter.model'] as const;

export const listModelArkTasks = endpoint({
  parsesItself: true,
  operationId: 'listModelArkTasks',
  method: 'GET',
  path: '/api/v3/contents/generations/tasks',
  summary: 'List tasks',
  description: 'Newest first: the tasks of the last seven days in the mode of the key.',
  auth: 'key',
  permission: 'tasks:read',
  query: ModelArkListQuery,
  responses: {
    200: {
      description: 'A page of tasks, and how many there are.',
      schema: ModelArkListResponse,
      examples: {
        page: ['Two tasks', { total: 2, items: [queuedModelArkTask, succeededModelArkTask] }],
      },
    },
  },
  errors: { invalid_request: 'page_size must be an integer of 1 to 500 (got "many")' },
  formatError: formatModelArkError,
  errorSchema: ModelArkErrorResponse,
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
      models: models?.flatMap((name) => findModel(lifecycle.catalog, name) ?? []) ?? null,
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
  ...{ page_num: true, page_size: true },
  'filter.service_tier': true,
});

/** Undefined if the parameter is missing or empty. */
function valuesOf(value: unknown): string[] | undefined {
  const values = [value ?? []].flat().map(String).filter(isClean);
  return value === undefined || value === '' ? undefined : values;
}

/** PostgreSQL rejects NUL in text; no value of ours contains it. */
const isClean = (text: string): boolean => !text.includes('\0');
