/**
 * Tasks by words of their prompts, by request ID and by provider, in the order of lists. The index
 * of words is some seconds late; newer tasks are compared one by one.
 */
import type { Queryable } from '../database/database.ts';
import { taskColumns } from './store.ts';
import type { Task } from './task.ts';
import { idsSince, idsUntil, isTaskId } from './task-id.ts';
import { orderOf, type TaskFilter } from './task-list.ts';
import {
  accountWord,
  findWordsPosition,
  findWordsQuery,
  requestWord,
  taskWordsSql,
} from './task-words.ts';

/** Without `metadata`, which has an index of its own. */
export type TaskSearch = Omit<TaskFilter, 'metadata'> & {
  /** Words of the prompt, the ID of the task, or the request ID of its create. */
  readonly search?: string | undefined;
  /** A provider that the task was sent to. */
  readonly provider?: string | undefined;
};

export const isTaskSearch = ({
  search,
  provider,
}: Pick<TaskSearch, 'search' | 'provider'>): boolean =>
  search !== undefined || provider !== undefined;

export async function searchTasks(db: Queryable, filter: TaskSearch): Promise<Task[]> {
  const search = filter.search?.trim();
  const query = new TaskQuery(filter);
  if (search === undefined) return await query.read(db, query.ofProvider());
  if (isTaskId(search.toLowerCase())) {
    return await query.read(db, `tasks t`, `t.id = ${query.place(search.toLowerCase())}`);
  }
  if (!/[\p{L}\p{N}]/u.test(search)) return [];
  const position = await findWordsPosition(db);
  const words = await findWordsQuery(db, search);
  const wanted = { search, words };
  const findNew = async (limit: number) => {
    const unread = new TaskQuery({ ...filter, limit });
    return await unread.read(db, 'tasks t', unread.isNewWith(wanted, position));
  };
  const findIndexed = async (limit: number) => {
    // Common words fill a page from the first tasks; for rare ones the index is faster.
    const first = new TaskQuery({ ...filter, limit });
    const page = await first.read(db, first.firstWithWords(wanted, position));
    if (page.length === limit) return page;
    const all = new TaskQuery({ ...filter, limit });
    return await all.read(db, all.withWords(wanted, position));
  };
  const parts = [findNew, findIndexed];
  const found: Task[] = [];
  for (const find of filter.isOldestFirst ? parts.toReversed() : parts) {
    if (found.length < filter.limit) found.push(...(await find(filter.limit - found.length)));
  }
  return found;
}

/** How many tasks at the beginning of the order are compared one by one. */
const firstMax = 2_000;

/** What is searched for, and its words as a `tsquery`. */
type Wanted = { readonly search: string; readonly words: string };

/** One statement that selects tasks; each value is a parameter. */
class TaskQuery {
  readonly #filter: TaskSearch;
  readonly #order: string;
  readonly #values: unknown[] = [];

  constructor(filter: TaskSearch) {
    this.#filter = filter;
    this.#order = orderOf(filter).order;
  }

  /** Adds a value and returns its place, such as `$3`. */
  place(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }

  async read(db: Queryable, fromSql: string, condition = 'true'): Promise<Task[]> {
    const id = fromSql.startsWith('(') ? 'm.task_id' : 't.id';
    const { rows } = await db.query<Task>(
      `select ${taskColumns} from ${fromSql}
       where ${[condition, ...this.#conditions(), ...this.#idRange('t.id')].join(' and ')}
       order by ${id} ${this.#order} limit ${this.place(this.#filter.limit)}`,
      this.#values,
    );
    return rows;
  }

  /** From the index `attempts_by_provider`: the first of several attempts at the provider. */
  ofProvider(): string {
    const conditions = [`provider = ${this.place(this.#filter.provider)}`, ...this.#idRange()];
    return `(select task_id from attempts a where ${conditions.join(' and ')}
        and number = (select min(number) from attempts where task_id = a.task_id
          and provider = a.provider)) m
      ${oneByOneSql}`;
  }

  firstWithWords(wanted: Wanted, position: string): string {
    const conditions = [`task_id <= ${this.place(position)}`, ...this.#idRange()];
    return `(select task_id from (
        select task_id, words from task_search where ${conditions.join(' and ')}
        order by task_id ${this.#order} limit ${firstMax}) nearest
      where words @@ ${this.#wordsSql(wanted)}) m ${oneByOneSql}`;
  }

  /** From the index `task_search_words`: `offset 0` keeps PostgreSQL from reading in order. */
  withWords(wanted: Wanted, position: string): string {
    const conditions = [
      `words @@ ${this.#wordsSql(wanted)}`,
      `task_id <= ${this.place(position)}`,
      ...this.#idRange(),
    ];
    return `(select task_id from task_search where ${conditions.join(' and ')} offset 0) m
      ${oneByOneSql}`;
  }

  /** Some of the newest tasks are in the index already. */
  isNewWith(wanted: Wanted, position: string): string {
    return `t.id > ${this.place(position)} and coalesce(
      (select words from task_search where task_id = t.id), ${taskWordsSql})
      @@ ${this.#wordsSql(wanted)}`;
  }

  #wordsSql({ search, words }: Wanted): string {
    const { accountId } = this.#filter;
    const isRequestId = /^[\w.:-]{6,200}$/.test(search);
    const request = isRequestId ? `'${requestWord(search)}'` : '';
    const wordsSql = `${this.place(words)}::tsquery || ${this.place(request)}::tsquery`;
    const account = accountId === undefined ? '' : `'${accountWord(accountId)}'`;
    return `((${wordsSql}) && ${this.place(account)}::tsquery)`;
  }

  #idRange(id = 'task_id'): string[] {
    const { beforeId, createdAfter, createdBefore } = this.#filter;
    const { beyond } = orderOf(this.#filter);
    const dateOf = (seconds: number) => new Date(seconds * 1000);
    return [
      ...given(beforeId, (bound) => `${id} ${beyond} ${this.place(bound)}`),
      ...given(createdAfter, (since) => `${id} >= ${this.place(idsSince(dateOf(since)))}`),
      ...given(createdBefore, (until) => `${id} < ${this.place(idsUntil(dateOf(until)))}`),
    ];
  }

  #conditions(): string[] {
    const { createdAfter, createdBefore, refundPending, provider, ...filter } = this.#filter;
    const equal = {
      account_id: filter.accountId,
      key_id: filter.keyId,
      mode: filter.mode,
      status: filter.status,
      billing_status: filter.billingStatus,
      failed_reason: filter.failedReason,
      model: filter.model,
    };
    return [
      ...Object.entries(equal)
        .filter(([, value]) => value !== undefined)
        .map(([column, value]) => `t.${column} = ${this.place(value)}`),
      ...(refundPending ? [`t.billing_status = 'refund_failed' and t.refund_outcome is null`] : []),
      ...given(createdAfter, (at) => `t.created_at >= to_timestamp(${this.place(at)}::float8)`),
      ...given(createdBefore, (at) => `t.created_at < to_timestamp(${this.place(at)}::float8)`),
      ...given(
        provider,
        (name) =>
          `exists (select from attempts where task_id = t.id and provider = ${this.place(name)})`,
      ),
    ];
  }
}

const given = <Value>(value: Value | undefined, sqlOf: (value: Value) => string): string[] =>
  value === undefined ? [] : [sqlOf(value)];

/** `offset 0` makes PostgreSQL look up one task after the other until the page is full. */
const oneByOneSql = 'cross join lateral (select * from tasks where id = m.task_id offset 0) t';
