/**
 * The real lifecycle on a real database with simulated time, providers and receivers, beside the
 * model of its money. Both are compared after every commit.
 */
import { join } from 'node:path';
import type { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import type { Scheduler } from 'fast-check';
import type { KeyCache } from '../../../server/accounts/keys/key-cache.ts';
import type { ApiServices } from '../../../server/api/http/handler.ts';
import { TaskReader } from '../../../server/api/http/task-reader.ts';
import { createCatalog } from '../../../server/catalog/catalog.ts';
import type { Database } from '../../../server/database/database.ts';
import type { Egress } from '../../../server/egress/egress.ts';
import { type Chunks, saveStream } from '../../../server/egress/save-stream.ts';
import { type AcceptTask, createAcceptTask } from '../../../server/lifecycle/accept.ts';
import { checkInvariants } from '../../../server/lifecycle/checks/invariants.ts';
import { createLifecycle, type LifecycleContext } from '../../../server/lifecycle/context.ts';
import type { Storage } from '../../../server/storage/storage.ts';
import { listAttempts } from '../../../server/tasks/find-attempts.ts';
import { type ResultUrl, webhookPayload } from '../../../server/tasks/view.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { testSecret } from '../../kit/seed.ts';
import {
  end,
  type Mode,
  type ModelBalance,
  noMoney,
  type TaskEnd,
  type TaskMoney,
} from './model.ts';
import { passTime } from './simulated-time.ts';
import { SimulatedUpstream } from './simulated-upstream.ts';
import { StepScheduler, withScheduledWrites } from './step-scheduler.ts';

export type KnownKey = { readonly id: string; readonly key: string; isRevoked: boolean };
export type KnownAccount = {
  readonly id: string;
  readonly keys: Record<Mode, KnownKey[]>;
};
export type KnownTask = {
  readonly id: string;
  readonly prompt: string;
  readonly isCalledBack: boolean;
  /** Cancels without a response so far, and whether one was accepted. */
  cancelsOpen: number;
  isCancelled: boolean;
  /** The provider did not say whether it stops, so the task may end as cancelled later. */
  isCancelUnconfirmed: boolean;
};

export type KnownCode = {
  readonly code: string;
  readonly amount: number;
  readonly mode: Mode;
  /** The account that redeemed it. */
  account: string | null;
};

type Base = { readonly db: Database; readonly keys: KeyCache; readonly folder: string };

export class MoneySimulation {
  readonly money = noMoney();
  readonly accounts: KnownAccount[] = [];
  readonly tasks: KnownTask[] = [];
  readonly codes: KnownCode[] = [];
  /** Leases that expired without their worker. */
  crashes = 0;
  /** Writes to this database wait for their step. */
  readonly db: Database;
  readonly directDb: Database;
  readonly steps: StepScheduler;
  readonly upstream: SimulatedUpstream;
  readonly lifecycle: LifecycleContext;
  readonly accept: AcceptTask;
  /** The services that the admin endpoints need. */
  readonly service: ApiServices;
  readonly #inFlight = new Set<Promise<void>>();
  #prompts = 0;
  #error: Error | undefined;

  constructor({ db, keys, folder }: Base, scheduler: Scheduler) {
    this.steps = new StepScheduler(scheduler);
    this.directDb = db;
    this.db = withScheduledWrites(db, this.steps);
    this.upstream = new SimulatedUpstream(this.steps);
    this.lifecycle = this.#lifecycle(folder);
    this.accept = createAcceptTask(this.lifecycle);
    const { lifecycle } = this;
    const tasks = new TaskReader(this.db);
    this.service = { lifecycle, keys, tasks, secret: testSecret } as unknown as ApiServices;
  }

  /** A unique prompt per task. */
  newPrompt(): string {
    this.#prompts += 1;
    return `boat ${this.#prompts}`;
  }

  /** Starts work that runs beside other work. An error ends the simulation. */
  begin(work: () => Promise<void>): void {
    const done = this.steps
      .track(async () => {})
      .then(work)
      .catch((error: Error) => {
        this.#error ??= error;
      })
      .finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
  }

  /** Runs `count` waiting steps and compares after each. */
  async pick(count: number): Promise<void> {
    await this.steps.pick(count, () => this.compare());
    if (this.#error) throw this.#error;
  }

  /** Runs all steps until no work is left. */
  async settle(): Promise<void> {
    do await this.pick(Number.POSITIVE_INFINITY);
    while (this.steps.waiting > 0);
    if (this.#inFlight.size > 0) throw new Error(`${this.#inFlight.size} actions never end`);
  }

  async passTime(seconds: number): Promise<void> {
    await passTime(this.directDb, seconds);
    this.upstream.passTime(seconds);
    this.money.nowSeconds += seconds;
  }

  /** Tells the model how tasks ended, and compares every balance with it. */
  async compare(): Promise<void> {
    if (this.#error) throw this.#error;
    const [tasks, balances] = await Promise.all([
      this.directDb.query<TaskRow>(
        'select id, status, billing_status as billing, failed_reason as reason from tasks',
      ),
      this.directDb.query<ModelBalance & { account: string; mode: Mode }>(
        `select account_id as account, mode, available, reserved, spent as charged, suspended
         from balances`,
      ),
    ]);
    const known = this.money.tasks;
    if (tasks.rows.length !== known.size) {
      throw new Error(`${known.size} creates were accepted, but there are ${tasks.rows.length}`);
    }
    for (const task of tasks.rows) this.#compareTask(task);
    for (const { account, mode, ...balance } of balances.rows) {
      const expected = shown(this.money.accounts.get(account)!.balances[mode]);
      if (shown(balance) !== expected)
        throw new Error(`${mode}: ${shown(balance)}, not ${expected}`);
    }
  }

  #compareTask({ id, status, billing, reason }: TaskRow): void {
    const task = this.money.tasks.get(id);
    if (!task) throw new Error(`${id} exists, but no create returned it`);
    const how = status === 'completed' ? status : reason;
    if (task.end === null && how !== null) {
      const known = this.tasks.find((one) => one.id === id)!;
      if (this.upstream.isStopped(known.prompt)) task.allowedEnds.add('provider_failed');
      end(this.money, id, how);
    }
    const expected = `${task.end} ${task.settlement ?? 'reserved'}`;
    const actual = `${how} ${billing}`;
    if (actual !== expected) throw new Error(`${id} is ${actual}, not ${expected}`);
  }

  async audit(): Promise<void> {
    const { checks } = await checkInvariants(this.directDb);
    const broken = checks.filter(({ ok }) => !ok);
    if (broken.length === 0) return;
    throw new Error(broken.map((one) => `${one.name}: ${one.offenders}`).join('; '));
  }

  /** Checks the records of the providers and the receivers. */
  async checkExternalRecords(): Promise<void> {
    const paidTwice = this.upstream.paidTwice();
    if (paidTwice.length > 0) throw new Error(`paid twice: ${paidTwice}`);
    for (const { id, prompt, isCalledBack, isCancelled, isCancelUnconfirmed } of this.tasks) {
      const task = this.money.tasks.get(id)!;
      const mayBeCancelled = isCancelled || isCancelUnconfirmed;
      if (task.end === 'cancelled' ? !mayBeCancelled : isCancelled)
        throw new Error(`${id}: the response to a cancel is wrong`);
      const webhooks = this.upstream.webhooks.filter(({ body }) => body.includes(id));
      if (webhooks.length > 0 !== isCalledBack)
        throw new Error(`${webhooks.length} webhooks about ${id}`);
      const messages = new Set(webhooks.map(({ messageId, body }) => `${messageId} ${body}`));
      if (messages.size > 1) throw new Error(`${messages.size} messages about ${id}`);
      if (webhooks[0]) compareWebhook(JSON.parse(webhooks[0].body), task);
      if (task.end !== null && endedByUs.has(task.end)) await this.#checkLoss(id, prompt);
    }
  }

  /** A generation that no task uses must be recorded as a loss. */
  async #checkLoss(id: string, prompt: string): Promise<void> {
    if (!this.upstream.isForNobody(prompt)) return;
    const attempts = await listAttempts(this.directDb, id);
    if (attempts.some(({ loss }) => loss !== null)) return;
    throw new Error(`${id} was ended, its generation continues, and no loss is recorded`);
  }

  /** Whether all tasks are final and all webhooks delivered or exhausted. */
  async isDone(): Promise<boolean> {
    const { rows } = await this.directDb.query(
      `select from jobs where kind <> 'expire' or ready limit 1`,
    );
    return rows.length === 0;
  }

  #lifecycle(folder: string): LifecycleContext {
    const { steps } = this;
    return createLifecycle({
      db: this.db,
      log: createLog('silent'),
      catalog: createCatalog({}),
      providers: this.upstream.registry,
      egress: { post: this.upstream.post } as Egress,
      storage: nullStorage,
      // No task of the simulation is an edit.
      sources: {} as LifecycleContext['sources'],
      // Storing a file takes real time, during which no other step runs.
      downloadSlots: { acquire: async () => steps.enter() },
      posters: null,
      credentials: {
        newVideo: (file: string) => ({
          file,
          saved: { state: { state: 'kept' } },
          save: (stream: Chunks) => saveStream(stream, file),
          close: async () => {},
        }),
      } as unknown as LifecycleContext['credentials'],
      resultUrl,
      callbackBody: (task) => webhookPayload(task, resultUrl),
      endUserOf: (accountId) => accountId,
      settings: {
        taskTimeoutSeconds: 3600,
        resultTtlSeconds: 86_400,
        webhookRetryDelaysSeconds: [5, 30],
        providerCallbackBaseUrl: 'https://service.example.test/callbacks',
        tempFolder: join(folder, 'downloads'),
        currency: 'USD',
        creditMicros: 10_000,
      },
    });
  }
}

/** The webhook states the settlement at the end of the task. */
function compareWebhook(
  webhook: CompletionPayload | FailurePayload,
  { end: how, settlement, resolved, credits }: TaskMoney,
) {
  const refunded = settlement === 'refunded' && resolved === null ? credits : 0;
  const expected = how === 'completed' ? how : `${how} ${refunded}`;
  const actual =
    webhook.status === 'failed'
      ? `${webhook.data.failed_reason} ${webhook.data.credits_refunded}`
      : webhook.status;
  if (actual !== expected)
    throw new Error(`the webhook of ${webhook.id} states ${actual}, not ${expected}`);
}

const resultUrl: ResultUrl = (task, key) => `https://results.example.test/${task.id}/${key}`;

type TaskRow = {
  readonly id: string;
  readonly status: string;
  readonly billing: string;
  readonly reason: TaskEnd | null;
};

const shown = ({ available, reserved, charged, suspended }: ModelBalance): string =>
  `available ${available}, reserved ${reserved}, charged ${charged}, suspended ${suspended}`;

const endedByUs: ReadonlySet<TaskEnd> = new Set(['cancelled', 'timed_out', 'internal_error']);

const nullStorage: Storage = {
  put: async () => ({ bytes: 1 }),
  open: async () => null,
  remove: async () => {},
  list: async function* () {},
  deletePartialFiles: async () => 0,
};
