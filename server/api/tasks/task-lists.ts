/** Tasks of one account, and of all: listed, searched, and as a file. */
import {
  type AdminTask,
  ListAccountTasksQuery,
  ListAccountTasksResponse,
  ListAllTasksQuery,
} from '@vidgen/contract/admin-tasks.ts';
import { type Account, getAccount } from '../../accounts/account.ts';
import { findKeys } from '../../accounts/keys/api-key.ts';
import { invalidCursor, pageOf } from '../../database/page.ts';
import { findTaskPage, findTasksSoFar } from '../../lifecycle/upkeep/search-tasks.ts';
import { hasMetadata } from '../../tasks/metadata.ts';
import { isTaskSearch, searchTasks, type TaskSearch } from '../../tasks/search-tasks.ts';
import { isTaskId } from '../../tasks/task-id.ts';
import { listTasks } from '../../tasks/task-list.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { countSearch, readInSlot } from '../http/page-slots.ts';
import { filterSeconds } from '../v1/tasks.ts';
import { adminTaskViews, taskSample } from './task-view.ts';

const shortPages =
  'If few of many tasks match the filters, a page has those that were found within seconds, ' +
  'which can be none; the list ends where `next_cursor` is null.';

const listAccountTasks = endpoint({
  operationId: 'listAccountTasks',
  method: 'GET',
  path: '/admin/accounts/:id/tasks',
  summary: 'List tasks of an account',
  description: shortPages,
  auth: 'member',
  role: 'viewer',
  query: ListAccountTasksQuery,
  responses: { 200: fileListDescription(ListAccountTasksResponse, taskSample) },
  errors: { rate_limited: true },
  async handler(services, request) {
    const account = await getAccount(services.lifecycle.db, request.params.id!);
    const filter = { ...taskFilter(request.query), accountId: account.id };
    return await taskListResponse(services, request, { filter, account });
  },
});

const listAllTasks = endpoint({
  operationId: 'listAllTasks',
  method: 'GET',
  path: '/admin/tasks',
  summary: 'List tasks of all accounts',
  // docs/spec.md 3.2: the queue for manual handling.
  description: `\`refund=waiting\` lists tasks whose refund needs an administrator. ${shortPages}`,
  auth: 'admin',
  query: ListAllTasksQuery,
  responses: { 200: fileListDescription(ListAccountTasksResponse, taskSample) },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { account_id, provider, key_id: keyId } = request.query;
    // The index of a key is that of its account.
    const [key] = keyId === undefined ? [] : await findKeys(services.lifecycle.db, [keyId]);
    const accountId = account_id?.toLowerCase() ?? key?.accountId;
    const filter = { ...taskFilter(request.query), provider, accountId };
    return await taskListResponse(services, request, { filter });
  },
});

type Filter = Omit<TaskSearch, 'beforeId' | 'limit'>;

const taskFilter = (query: ListAccountTasksQuery): Filter => ({
  search: query.q,
  mode: query.mode,
  status: query.status,
  model: query.model,
  billingStatus: query.billing_status,
  refundPending: query.refund === 'waiting',
  failedReason: query.failed_reason,
  keyId: query.key_id,
  createdAfter: filterSeconds(query.created_after),
  createdBefore: filterSeconds(query.created_before),
  isOldestFirst: query.sort === 'created',
});

async function taskListResponse(
  services: ApiServices,
  request: ApiRequest<unknown, ListAccountTasksQuery>,
  { filter, account }: { readonly filter: Filter; readonly account?: Account },
): Promise<ApiResponse> {
  const { lifecycle } = services;
  const { cursor, format } = request.query;
  if (cursor !== undefined && !isTaskId(cursor)) throw invalidCursor();
  const isSearch = isTaskSearch(filter);
  const searcher = isSearch ? countSearch(services, request) : undefined;
  // A file may take its time.
  const readRows = isSearch ? searchTasks : listTasks;
  const isTagged = format === 'csv' && (await hasMetadata(lifecycle.db, account?.id));
  return await listResponse<AdminTask>(services, request, {
    columns: isTagged ? [...columns, metadataColumn] : columns,
    contentName: 'tasks',
    accountName: account?.name,
    list: isSearch ? undefined : (db, limit) => listTasks(db, { ...filter, limit }),
    async read({ cursor: beforeId, limit }) {
      const page = { ...filter, beforeId, limit };
      const { items: tasks, nextCursor } = await readInSlot(
        { accountId: filter.accountId, searcher },
        async () =>
          format === undefined
            ? await (isSearch ? findTaskPage : findTasksSoFar)(lifecycle.db, page)
            : pageOf(await readRows(lifecycle.db, { ...page, limit: limit + 1 }), limit),
      );
      return { items: await adminTaskViews(lifecycle, tasks), nextCursor };
    },
  });
}

const columns: readonly CsvColumn<AdminTask>[] = [
  ...fieldColumns('id', 'created_at', 'status', 'billing_status', 'failed_reason', 'model', 'mode'),
  ...fieldColumns('generation_type', 'resolution', 'duration', 'credits', 'prompt'),
  ...fieldColumns('submitted_at', 'finished_at', 'callback_url', 'key_id', 'account_id'),
  ...fieldColumns('refund_outcome'),
];

/** Only where a task has metadata, so that other files keep their columns. */
const metadataColumn: CsvColumn<AdminTask> = [
  'metadata',
  ({ metadata }) => (metadata ? JSON.stringify(metadata) : null),
];

export const taskListEndpoints = [listAccountTasks, listAllTasks];
