/** Task lists as files, of one account or of all. */
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { ExportAllTasksQuery, ExportTasksQuery } from '@vidgen/contract/usage.ts';
import type { Account } from '../../accounts/account.ts';
import { hasMetadata } from '../../tasks/metadata.ts';
import { isTaskSearch, searchTasks } from '../../tasks/search-tasks.ts';
import { listTasks } from '../../tasks/task-list.ts';
import type { CsvColumn } from '../http/csv.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { countSearch, readInSlot } from '../http/page-slots.ts';
import { parseQuery } from '../http/parse-request.ts';
import { exportResponse, isoTimestamp, pageRows, readPages } from './export-response.ts';
import { adminTaskViews, allTasksFilterOf, taskFilterOf } from './task-list.ts';

const taskColumns: readonly CsvColumn<AdminTask>[] = [
  ['id', (task) => task.id],
  ['created_at', (task) => isoTimestamp(task.created_at)],
  ['status', (task) => task.status],
  ['billing_status', (task) => task.billing_status],
  ['failed_reason', (task) => task.failed_reason],
  ['model', (task) => task.model],
  ['mode', (task) => task.mode],
  ['generation_type', (task) => task.generation_type],
  ['resolution', (task) => task.resolution],
  ['duration', (task) => task.duration],
  ['credits', (task) => task.credits],
  ['prompt', (task) => task.prompt],
  ['submitted_at', (task) => isoTimestamp(task.submitted_at)],
  ['finished_at', (task) => isoTimestamp(task.finished_at)],
  ['callback_url', (task) => task.callback_url],
  ['key_id', (task) => task.key_id],
  ['account_id', (task) => task.account_id],
  ['refund_outcome', (task) => task.refund_outcome],
];

/** Only where a task has metadata, so that other files keep their columns. */
const metadataColumn: CsvColumn<AdminTask> = [
  'metadata',
  ({ metadata }) => (metadata ? JSON.stringify(metadata) : null),
];

/** Of all accounts without `account`. */
export async function exportTasks(
  services: ApiServices,
  request: ApiRequest,
  account?: Account,
): Promise<ApiResponse> {
  const { lifecycle } = services;
  const { format, ...query } = account
    ? parseQuery(ExportTasksQuery, request.query)
    : parseQuery(ExportAllTasksQuery, request.query);
  const filter = account
    ? { ...taskFilterOf({ ...query, limit: pageRows }), accountId: account.id }
    : await allTasksFilterOf(lifecycle.db, { ...query, limit: pageRows });
  const read = isTaskSearch(filter) ? searchTasks : listTasks;
  const searcher = isTaskSearch(filter) ? countSearch(services, request) : undefined;
  const right = { reauthorize: () => request.reauthorize(lifecycle.db, { lock: false }) };
  const pages = readPages(async (last: AdminTask | undefined) => {
    const tasks = await readInSlot({ accountId: filter.accountId, searcher }, () =>
      read(lifecycle.db, { ...filter, beforeId: last?.id }),
    );
    return await adminTaskViews(lifecycle, tasks);
  }, right);
  const isTagged = await hasMetadata(lifecycle.db, account?.id);
  return await exportResponse(pages, {
    format,
    columns: isTagged ? [...taskColumns, metadataColumn] : taskColumns,
    contentName: 'tasks',
    accountName: account?.name,
  });
}
