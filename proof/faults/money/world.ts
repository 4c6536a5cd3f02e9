/**
 * The real lifecycle on a real database, in a world where time, providers and receivers are
 * simulated, beside the model of its money. After every commit the two are compared.
 */
import { join } from 'node:path';
import type { CompletionCall, FailureCall } from '@vidgen/contract/webhook-call.ts';
import type { Scheduler } from 'fast-check';
import type { KeyCache } from '../../../server/accounts/key-cache.ts';
import type { Service } from '../../../server/api/service.ts';
import { TaskReader } from '../../../server/api/task-reader.ts';
import { createCatalogue } from '../../../server/catalog/catalog.ts';
import type { Database } from '../../../server/database/database.ts';
import type { Egress } from '../../../server/egress/egress.ts';
import { audit } from '../../../server/ledger/audit.ts';
import { type Accept, createAccept } from '../../../server/lifecycle/accept.ts';
import type { Lifecycle, LifecycleParts } from '../../../server/lifecycle/context.ts';
import { createTogether } from '../../../server/lifecycle/together.ts';
import { createLog } from '../../../server/log.ts';
import type { Storage } from '../../../server/storage/storage.ts';
import { listAttempts } from '../../../server/tasks/attempts.ts';
import { testSecret } from '../../kit/seed.ts';
import { type End, end, type Mode, noMoney, type Purse, type TaskMoney } from './model.ts';
import { passTime } from './simulated-time.ts';
import { SimulatedUpstream } from './simulated-upstream.ts';
import { inTurns, Turns } from './turns.ts';

export type KnownKey = { readonly id: string; readonly key: string; isRevoked: boolean };
export type KnownAccount = {
  readonly id: string;
  readonly keys: Record<Mode, KnownKey[]>;
};
export type KnownTask = {
  readonly id: string;
  readonly prompt: string;
  readonly isCalledBack: boolean;
  /** Cancels that nobody has answered yet, and whether one was answered with yes. */
  cancelsOpen: number;
  isCancelled: boolean;
};

export type KnownCode = {
  readonly code: string;
  readonly amount: number;
  readonly mode: Mode;
  /** Who redeemed it. */
  account: string | null;
};

/** What a world stands on. */
type Base = { readonly db: Database; readonly keys: KeyCache; readonly folder: string };

export class World {
  readonly money = noMoney();
  readonly accounts: KnownAccount[] = [];
  readonly tasks: KnownTask[] = [];
  readonly codes: KnownCode[] = [];
  picks = 0;
  /** Leases that ended without their worker. */
  deaths = 0;
  /** Writes to it take turns. */
  readonly db: Database;
  readonly plain: Database;
  readonly turns: Turns;
  readonly upstream: SimulatedUpstream;
  readonly lifecycle: Lifecycle;
  readonly accept: Accept;
  /** What the endpoints for people need; a service without those for creates and files. */
  readonly service: Service;
  readonly #underWay = new Set<Promise<void>>();
  #prompts = 0;
  #trouble: Error | undefined;

  constructor({ db, keys, folder }: Base, scheduler: Scheduler) {
    this.turns = new Turns(scheduler);
    this.plain = db;
    this.db = inTurns(db, this.turns);
    this.upstream = new SimulatedUpstream(this.turns);
    this.lifecycle = this.#lifecycle(folder);
    this.accept = createAccept(this.lifecycle);
    const { lifecycle } = this;
    const tasks = new TaskReader(this.db);
    this.service = { lifecycle, keys, tasks, secret: testSecret } as unknown as Service;
  }

  /** Each task has one of its own. */
  newPrompt(): string {
    this.#prompts += 1;
    return `boat ${this.#prompts}`;
  }

  /** Something that goes on while other things do. What it throws is the end of this world. */
  begin(work: () => Promise<void>): void {
    const done = this.turns
      .counted(async () => {})
      .then(work)
      .catch((error: Error) => {
        this.#trouble ??= error;
      })
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  /** Lets so many of the waiting go; after each, model and service must agree. */
  async pick(count: number): Promise<void> {
    this.picks += await this.turns.pick(count, () => this.compare());
    if (this.#trouble) throw this.#trouble;
  }

  /** Everything that was begun comes to its end, in an order of the schedule's choice. */
  async settle(): Promise<void> {
    do await this.pick(Number.POSITIVE_INFINITY);
    while (this.turns.waiting > 0);
    if (this.#underWay.size > 0) throw new Error(`${this.#underWay.size} never come to an end`);
  }

  async passTime(seconds: number): Promise<void> {
    await passTime(this.plain, seconds);
    this.upstream.passTime(seconds);
    this.money.nowSeconds += seconds;
  }

  /** The model is told how tasks ended, never where their credits are. */
  async compare(): Promise<void> {
    if (this.#trouble) throw this.#trouble;
    const [tasks, balances] = await Promise.all([
      this.plain.query<SeenTask>(
        'select id, status, billing_status as billing, failed_reason as reason from tasks',
      ),
      this.plain.query<Purse & { account: string; mode: Mode }>(
        `select account_id as account, mode, available, reserved, spent as charged, suspended
         from balances`,
      ),
    ]);
    const known = this.money.tasks;
    if (tasks.rows.length !== known.size) {
      throw new Error(`${known.size} creates were accepted, and there are ${tasks.rows.length}`);
    }
    for (const task of tasks.rows) this.#compareTask(task);
    for (const { account, mode, ...purse } of balances.rows) {
      const wanted = shown(this.money.accounts.get(account)!.purses[mode]);
      if (shown(purse) !== wanted) throw new Error(`${mode}: ${shown(purse)}, not ${wanted}`);
    }
  }

  #compareTask({ id, status, billing, reason }: SeenTask): void {
    const task = this.money.tasks.get(id);
    if (!task) throw new Error(`${id} exists, and nobody was told of it`);
    const how = status === 'completed' ? status : reason;
    if (task.end === null && how !== null) {
      const known = this.tasks.find((one) => one.id === id)!;
      if (this.upstream.isStopped(known.prompt)) task.may.add('provider_failed');
      end(this.money, id, how);
    }
    const wanted = `${task.end} ${task.settlement ?? 'reserved'}`;
    const got = `${how} ${billing}`;
    if (got !== wanted) throw new Error(`${id} is ${got}, not ${wanted}`);
  }

  /** The five invariants, of every row there is. */
  async audit(): Promise<void> {
    const { checks } = await audit(this.plain);
    const broken = checks.filter(({ ok }) => !ok);
    if (broken.length === 0) return;
    throw new Error(broken.map((one) => `${one.name}: ${one.offenders}`).join('; '));
  }

  /** What the providers and the receivers remember. */
  async lookBack(): Promise<void> {
    const paidTwice = this.upstream.paidTwice();
    if (paidTwice.length > 0) throw new Error(`paid twice: ${paidTwice}`);
    for (const { id, prompt, isCalledBack, isCancelled } of this.tasks) {
      const task = this.money.tasks.get(id)!;
      if ((task.end === 'cancelled') !== isCancelled) throw new Error(`${id}: a cancel's answer`);
      const calls = this.upstream.calls.filter(({ body }) => body.includes(id));
      if (calls.length > 0 !== isCalledBack) throw new Error(`${calls.length} calls about ${id}`);
      const messages = new Set(calls.map(({ messageId, body }) => `${messageId} ${body}`));
      if (messages.size > 1) throw new Error(`${messages.size} messages about ${id}`);
      if (calls[0]) compareCall(JSON.parse(calls[0].body), task);
      if (task.end !== null && endedByUs.has(task.end)) await this.#lookForLoss(id, prompt);
    }
  }

  /** What a provider made for nobody is our cost, and an operator can see it. */
  async #lookForLoss(id: string, prompt: string): Promise<void> {
    if (!this.upstream.isForNobody(prompt)) return;
    const attempts = await listAttempts(this.plain, id);
    if (attempts.some(({ loss }) => loss !== null)) return;
    throw new Error(`${id} was ended by us, its generation goes on, and nobody was told`);
  }

  /** Whether all tasks are final and all calls made or given up. */
  async isDone(): Promise<boolean> {
    const { rows } = await this.plain.query(
      `select from jobs where kind <> 'expire' or ready limit 1`,
    );
    return rows.length === 0;
  }

  #lifecycle(folder: string): Lifecycle {
    const { turns } = this;
    const parts: LifecycleParts = {
      db: this.db,
      log: createLog('silent'),
      catalogue: createCatalogue({}),
      providers: this.upstream.registry,
      egress: { post: this.upstream.post } as Egress,
      storage: nowhere,
      // A file takes real time: until it is stored, nobody else is picked.
      downloads: { take: async () => turns.enter() },
      addressOf: (task, key) => `https://results.example.test/${task.id}/${key}`,
      settings: {
        taskTimeoutSeconds: 3600,
        resultLifeSeconds: 86_400,
        webhookGapsSeconds: [5, 30],
        callbackBase: 'https://service.example.test/callbacks',
        scratchFolder: join(folder, 'downloads'),
      },
    };
    return { ...parts, together: createTogether(parts) };
  }
}

/** The receiver was told what became of the credits when the task ended. */
function compareCall(
  told: CompletionCall | FailureCall,
  { end: how, settlement, resolved, credits }: TaskMoney,
) {
  const refunded = settlement === 'refunded' && resolved === null ? credits : 0;
  const wanted = how === 'completed' ? how : `${how} ${refunded}`;
  const got =
    told.status === 'failed'
      ? `${told.data.failed_reason} ${told.data.credits_refunded}`
      : told.status;
  if (got !== wanted) throw new Error(`the receiver of ${told.id} was told ${got}, not ${wanted}`);
}

type SeenTask = {
  readonly id: string;
  readonly status: string;
  readonly billing: string;
  readonly reason: End | null;
};

const shown = ({ available, reserved, charged, suspended }: Purse): string =>
  `available ${available}, reserved ${reserved}, charged ${charged}, suspended ${suspended}`;

const endedByUs: ReadonlySet<End> = new Set(['cancelled', 'timed_out', 'internal_error']);

/** Results are not looked at here. */
const nowhere: Storage = {
  put: async () => ({ bytes: 1 }),
  open: async () => null,
  remove: async () => {},
  list: async function* () {},
  removeUnfinished: async () => 0,
};
