/**
 * Everything of an account as a tar archive: JSON lines in pages, and files. Read and sent piece by
 * piece, so that a large account takes no memory. Its last file says that it is complete.
 */
import { Readable } from 'node:stream';
import { type Account, getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { type ApiKey, listKeys } from '../../accounts/keys/api-key.ts';
import { findKeySpending } from '../../accounts/keys/key-spending.ts';
import { listMembers } from '../../accounts/people/membership.ts';
import { listEntries } from '../../ledger/entries.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import { monotonicMs, nowMs } from '../../process/clock.ts';
import { uploadFolder } from '../../storage/upload-urls.ts';
import { resultKeys, type Task } from '../../tasks/task.ts';
import { listTasks } from '../../tasks/task-list.ts';
import { requestOf } from '../../tasks/view.ts';
import { entryView } from '../credits/credits.ts';
import { endpoint } from '../http/endpoint.ts';
import { attachmentHeaders, exportLimit, readPages } from '../http/list-response.ts';
import { tarEnd, tarHeader, tarPadding } from '../http/tar.ts';
import { memberView } from '../people/members.ts';
import { listDeliveryViews } from '../tasks/deliveries.ts';
import { adminTaskViews } from '../tasks/task-view.ts';
import { accountWithBalances } from './account-response.ts';
import { keyView } from './keys.ts';

export const exportAccount = endpoint({
  operationId: 'exportAccount',
  method: 'GET',
  path: '/admin/accounts/:id/archive',
  summary: 'Export an account',
  description:
    'A tar archive: `account.json` with members and keys, pages of JSON lines in `ledger/`, ' +
    '`deliveries/` and `tasks/`, results in `files/`, uploads in `uploads/`, and at its end ' +
    '`complete.json`. If that is missing, the archive was cut off: request it again.',
  auth: 'member',
  role: 'owner',
  sessionLimit: exportLimit,
  responses: {
    200: { description: 'The archive, as long as it gets.', contentType: 'application/x-tar' },
  },
  async handler({ lifecycle }, request) {
    const account = await getAccount(lifecycle.db, request.params.id!);
    const { actor } = request;
    await request.transaction((tx) =>
      recordAudit(tx, { actor, action: 'account.export', subject: account.id }),
    );
    const reauthorize = () => request.reauthorize(lifecycle.db, { lock: false });
    const archive = new AccountArchive({ lifecycle, account, reauthorize }).write();
    return {
      stream: Readable.from(archive, { objectMode: false }),
      headers: attachmentHeaders({
        contentName: 'account',
        accountName: account.name,
        format: 'tar',
        type: 'application/x-tar',
      }),
    };
  },
});

/** A request may have 100 KB. */
const rowsPerFile = { ledger: 1000, deliveries: 100, tasks: 100 } as const;
/** A slow client may take hours for one file. */
const recheckMs = 5000;

type ArchiveOptions = {
  readonly lifecycle: LifecycleContext;
  readonly account: Account;
  /** Throws if the caller lost the right: then the archive ends without its end. */
  readonly reauthorize: () => Promise<void>;
};

type LastRow = { readonly id: string } | undefined;

class AccountArchive {
  readonly #options: ArchiveOptions;
  readonly #counts = { tasks: 0, ledger: 0, deliveries: 0, files: 0, uploads: 0 };
  #checkedAtMs = monotonicMs();

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  async *write(): AsyncGenerator<Buffer> {
    const { lifecycle, account } = this.#options;
    const { db } = lifecycle;
    const { id: accountId } = account;
    yield jsonFile('account.json', await this.#overview());
    const readEntries = async (last: LastRow) => {
      const beforeId = last && Number(last.id);
      const entries = await listEntries(db, { accountId, limit: rowsPerFile.ledger, beforeId });
      return entries.map(entryView);
    };
    yield* this.#pages('ledger', readEntries);
    const readDeliveries = async (last: LastRow) => {
      const page = { limit: rowsPerFile.deliveries, cursor: last?.id };
      return (await listDeliveryViews(lifecycle, { accountId, ...page, role: 'owner' })).items;
    };
    yield* this.#pages('deliveries', readDeliveries);
    let tasks: Task[] = [];
    const readTasks = async (last: LastRow) => {
      tasks = await listTasks(db, { accountId, beforeId: last?.id, limit: rowsPerFile.tasks });
      const views = await adminTaskViews(lifecycle, tasks);
      return tasks.map((task, at) => ({
        ...views[at]!,
        request: requestOf(task),
        created_by: task.createdBy,
      }));
    };
    for await (const chunk of this.#pages('tasks', readTasks)) {
      yield chunk;
      for (const { id, result, expired } of tasks.splice(0)) {
        for (const key of result && !expired ? resultKeys(result) : []) {
          yield* this.#file('files', { key, name: `${id}/${key.split('/').at(-1)}` });
        }
      }
    }
    for await (const { key } of lifecycle.storage.list(uploadFolder(accountId))) {
      yield* this.#file('uploads', { key, name: key.split('/').at(-1)! });
    }
    yield jsonFile('complete.json', { account: accountId, ...this.#counts });
    yield tarEnd();
  }

  async #overview() {
    const { lifecycle, account, reauthorize } = this.#options;
    const { db } = lifecycle;
    const accountId = account.id;
    const members = await listMembers(db, accountId);
    const keys: ApiKey[] = [];
    const readKeys = (cursor: string | undefined) =>
      listKeys(db, { accountId, limit: 1000, cursor });
    for await (const page of readPages(readKeys, { reauthorize })) keys.push(...page);
    const keyIds = keys.map(({ id }) => id);
    const spending = await findKeySpending(db, keyIds);
    return {
      // A copy of the signing secret would have to be kept as safe as the secret.
      account: await accountWithBalances(db, account, { includeSecret: false }),
      members: members.map(memberView),
      keys: keys.map((key) => {
        const options = { credits30Days: 0, spending: spending.get(key.id) ?? null };
        const { credits_30_days: _, ...view } = keyView(key, options);
        return view;
      }),
    };
  }

  /** One file per page, each after the last row of the previous one. */
  async *#pages<Row extends { readonly id: string }>(
    folder: keyof typeof rowsPerFile,
    read: (last: Row | undefined) => Promise<readonly Row[]>,
  ): AsyncGenerator<Buffer> {
    let last: Row | undefined;
    for (let number = 1; ; number++) {
      await this.#recheck({ now: true });
      const rows = await read(last);
      if (rows.length > 0) {
        this.#counts[folder] += rows.length;
        const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
        yield textFile(`${folder}/${String(number).padStart(6, '0')}.jsonl`, lines);
      }
      if (rows.length < rowsPerFile[folder]) return;
      last = rows.at(-1);
    }
  }

  /** Leaves out a file that was deleted meanwhile. */
  async *#file(
    folder: 'files' | 'uploads',
    { key, name }: { readonly key: string; readonly name: string },
  ): AsyncGenerator<Buffer> {
    await this.#recheck({ now: true });
    const file = await this.#options.lifecycle.storage.open(key);
    if (!file) return;
    const { bytesTotal: bytes } = file;
    const content: Readable = file.read();
    try {
      yield tarHeader({ name: `${folder}/${name}`, bytes, modifiedAt: new Date(nowMs()) });
      let sent = 0;
      for await (const chunk of content) {
        sent += chunk.length;
        yield chunk;
        await this.#recheck({ now: false });
      }
      if (sent !== bytes) throw new Error(`${key} has ${sent} bytes instead of ${bytes}`);
      yield tarPadding(bytes);
      this.#counts[folder] += 1;
    } finally {
      content.destroy();
    }
  }

  async #recheck({ now }: { readonly now: boolean }): Promise<void> {
    if (!now && monotonicMs() - this.#checkedAtMs < recheckMs) return;
    await this.#options.reauthorize();
    this.#checkedAtMs = monotonicMs();
  }
}

const jsonFile = (name: string, value: unknown): Buffer =>
  textFile(name, `${JSON.stringify(value, null, 2)}\n`);

function textFile(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const header = tarHeader({ name, bytes: content.length, modifiedAt: new Date(nowMs()) });
  return Buffer.concat([header, content, tarPadding(content.length)]);
}
