/**
 * Customers and an operator of an installation whose processes are killed. A request without a
 * response is repeated until it has one. Every response is applied to the model, and at the end the
 * model and the service must agree on every balance.
 */
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import fc from 'fast-check';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { clientOf, type HttpResponse } from '../../kit/service.ts';
import { type Findings, noFindings } from '../fault-test.ts';
import { brokenChecks, taskCredits } from '../findings.ts';
import type { Installation } from '../installation.ts';
import type { TrialLoad } from '../kills/trial.ts';
import { promptOf, shouldFail } from '../upstream.ts';
import * as model from './model.ts';

const retryMs = 100;
const pollMs = 50;
/** Generous: a busy machine is no lost task. */
const finalMsMax = 120_000;
const timeoutSeconds = 3600;
/** More than a run spends. */
const ampleCredits = 1_000_000;
const poorCredits = 12;
const customersAtOnce = 3;
/** Between two steps of a customer, at most. */
const pauseMs = 300;
const stepsDrawn = 500;

export type ModelCustomer = { readonly id: string; readonly keys: Record<model.Mode, string> };
type CreatedTask = { readonly id: string; readonly isNotified: boolean; isCancelled: boolean };

type TaskOrder = {
  readonly mode?: model.Mode;
  readonly fails?: boolean;
  readonly times?: number;
  readonly isNotified?: boolean;
};
type OtherStep = 'cancel' | 'overspend' | 'grant' | 'redeem' | 'change key' | 'freeze' | 'close';
type CustomerStep = TaskOrder | OtherStep;

const order: fc.Arbitrary<TaskOrder> = fc.record({
  mode: fc.constantFrom('live', 'live', 'live', 'test'),
  fails: fc.constantFrom(false, false, true),
  times: fc.constantFrom(1, 1, 2),
  isNotified: fc.constantFrom(true, true, true, false),
});
const others: readonly OtherStep[] = [
  ...(['cancel', 'cancel', 'overspend', 'grant', 'redeem'] as const),
  ...(['change key', 'freeze', 'close'] as const),
];
const anyStep: fc.Arbitrary<CustomerStep> = fc.oneof(order, order, fc.constantFrom(...others));

/** A held resource: customers at work, until they are disposed of. */
export class ModelCustomers implements TrialLoad, AsyncDisposable {
  readonly money = model.noMoney();
  readonly #installation: Installation;
  readonly #steps: readonly CustomerStep[];
  readonly #closing = new AbortController();
  readonly #signal = this.#closing.signal;
  /** The tasks since the last inspection; all earlier ones are final. */
  #recentTasks: CreatedTask[] = [];
  #rejections: { readonly balance: model.ModelBalance; readonly message: string }[] = [];
  #running: Promise<void>[] = [];
  #isRunning = false;
  #stepsTaken = 0;
  #numbers = 0;
  #names = 0;
  #rich: ModelCustomer | undefined;
  #lastExclusive: Promise<void> = Promise.resolve();

  constructor(installation: Installation, seed: number) {
    this.#installation = installation;
    this.#steps = fc.sample(anyStep, { seed, numRuns: stepsDrawn });
  }

  start(): void {
    this.#isRunning = true;
    this.#running = Array.from({ length: customersAtOnce }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
  }

  /** Waits until all tasks are final and compares them with the model. */
  async inspect(): Promise<Findings> {
    const acknowledged = this.#recentTasks.length;
    const messages = await this.#reconcile();
    const prefixes = { lost: 'lost: ', doubled: 'generated twice: ', unfinished: 'not final: ' };
    const known = Object.entries(prefixes).map(([list, prefix]) => {
      const own = messages.filter((message) => message.startsWith(prefix));
      return [list, own.map((message) => message.slice(prefix.length))] as const;
    });
    const isOther = (message: string) =>
      !Object.values(prefixes).some((prefix) => message.startsWith(prefix));
    const broken = messages.filter(isOther);
    return { ...noFindings, acknowledged, ...Object.fromEntries(known), broken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.stop().catch(() => {});
  }

  async #run(): Promise<void> {
    this.#rich ??= await this.#open({ test: 1_000_000 });
    const poor = await this.#open({ live: poorCredits });
    while (this.#isRunning) {
      const step = this.#steps[this.#stepsTaken++ % this.#steps.length]!;
      await this.#take(step, { rich: this.#rich, poor });
      await sleep(Math.random() * pauseMs, this.#signal);
    }
  }

  async #take(step: CustomerStep, { rich, poor }: Record<'rich' | 'poor', ModelCustomer>) {
    const { upstream } = this.#installation;
    if (typeof step === 'object') return await this.#order(rich, step);
    switch (step) {
      case 'overspend':
        // Credits for two: of three creates at once, one is rejected.
        await Promise.all([1, 2, 3].map(() => this.#order(poor, {})));
        return;
      case 'cancel':
        return await this.#cancelLast(rich);
      case 'grant':
        return await this.#grant(rich, 'test', 10);
      case 'redeem':
        return await this.#redeem(rich, 10);
      case 'change key':
        return await this.#changeKey(rich);
      case 'freeze':
        return await this.#exclusively(async () => {
          upstream.move('stop');
          await sleep(pauseMs);
          upstream.move('go');
        });
      case 'close':
        return await this.#exclusively(() => this.#closeAtWork());
    }
  }

  /** Steps that freeze the provider run one at a time. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    const mine = this.#lastExclusive.then(work);
    this.#lastExclusive = mine.catch(() => {});
    return mine;
  }

  #recentOf({ id: account }: ModelCustomer): CreatedTask[] {
    return this.#recentTasks.filter(({ id }) => model.taskOf(this.money, id).account === account);
  }

  /** Repeats a request until it has a response other than a 5xx. */
  async #retry(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
    for (;;) {
      this.#signal.throwIfAborted();
      const response = await send().catch(() => null);
      if (response && response.status < 500) return response;
      await sleep(retryMs, this.#signal);
    }
  }

  #post(path: string, body: unknown = {}): Promise<HttpResponse> {
    return this.#retry(() => this.#installation.admin.post(path, body));
  }

  async #open({ live = ampleCredits, test = 0 } = {}): Promise<ModelCustomer> {
    const { body } = await this.#post('/admin/accounts', { name: 'Model' });
    const id = body.id as string;
    model.openAccount(this.money, id);
    const keys = {
      live: await this.#createKey(id, 'live'),
      test: await this.#createKey(id, 'test'),
    };
    const customer = { id, keys };
    if (live > 0) await this.#grant(customer, 'live', live);
    if (test > 0) await this.#grant(customer, 'test', test);
    return customer;
  }

  async #createKey(id: string, mode: model.Mode): Promise<string> {
    const { body } = await this.#post(`/admin/accounts/${id}/keys`, { name: 'Model', mode });
    return body.key as string;
  }

  /** Creates a new key and revokes the old one, which must not work any more. */
  async #changeKey({ id, keys }: ModelCustomer): Promise<void> {
    const old = keys.live;
    keys.live = await this.#createKey(id, 'live');
    const path = `/admin/accounts/${id}/keys?limit=100`;
    const { body } = await this.#retry(() => this.#installation.admin.get(path));
    const items = body.items as { id: string; last_four: string }[];
    const revoked = items.find(({ last_four }) => old.endsWith(last_four))!;
    const revoking = `/admin/keys/${revoked.id}`;
    await this.#retry(() => this.#installation.admin.send('DELETE', revoking));
    const { status } = await this.#retry(() => clientOf(this.#url, old).get('/v1/credits'));
    if (status !== 401) throw new Error(`a revoked key returns ${status}`);
  }

  async #grant({ id }: ModelCustomer, mode: model.Mode, amount: number): Promise<void> {
    const reference = `grant ${++this.#names}`;
    const note = 'Model';
    await this.#post(`/admin/accounts/${id}/credits`, { amount, mode, note, reference });
    model.grant(this.money, id, { mode, amount, reference });
  }

  /** Redeems a code twice in parallel: the credits are granted once. */
  async #redeem({ id }: ModelCustomer, amount: number): Promise<void> {
    const codeRequest = { amount, mode: 'live', count: 1, note: 'Model' };
    const { body } = await this.#post('/admin/redemption-codes', codeRequest);
    const { code } = (body.items as { code: string }[])[0]!;
    const redemption = () => this.#post(`/admin/accounts/${id}/redemptions`, { code });
    await Promise.all([redemption(), redemption()]);
    model.grant(this.money, id, { mode: 'live', amount, reference: `code ${code}` });
  }

  /** Sends a create `times` times in parallel, which makes one task. */
  async #order(customer: ModelCustomer, order: TaskOrder): Promise<void> {
    const { mode = 'live', fails = false, times = 1, isNotified = true } = order;
    const number = this.#nextNumber(fails);
    const mark = fails ? '[test:fail]' : '[test:reject]';
    const prompt = mode === 'test' ? `${promptOf(number)} ${mark}` : promptOf(number);
    const request = {
      model: 'vidgen-2-0-mini',
      ...(isNotified ? { callback_url: this.#installation.receiver.url } : {}),
      input: { prompt, resolution: '480p', duration: 5 },
    };
    const headers = { 'idempotency-key': `create ${number}` };
    const send = async () => {
      const key = customer.keys[mode];
      const response = await clientOf(this.#url, key).create(request, headers);
      if (response.status === 401 && key !== customer.keys[mode])
        throw new Error('with the new key');
      return response;
    };
    const sent = Array.from({ length: times }, () => this.#retry(send));
    const [first, ...others] = await Promise.all(sent);
    const id = first!.body.taskId as string | undefined;
    if (others.some(({ body }) => body.taskId !== id)) throw new Error('one create made two tasks');
    if (id === undefined) return this.#recordRejection(customer, mode, first!);
    const named = { name: `create ${number}`, request: 'x' };
    model.accept(this.money, id, {
      account: customer.id,
      mode,
      credits: taskCredits,
      timeoutSeconds,
      named,
    });
    model.taskOf(this.money, id).allowedEnds.add(endOf(mode, fails));
    this.#installation.clients.acknowledged.set(number, id);
    this.#recentTasks.push({ id, isNotified, isCancelled: false });
  }

  /** Only without credits, which is checked when all tasks have ended. */
  #recordRejection({ id }: ModelCustomer, mode: model.Mode, { status, body }: HttpResponse): void {
    const message = JSON.stringify(body);
    if (status !== 402) throw new Error(`a create is rejected: ${message}`);
    this.#rejections.push({ balance: model.accountOf(this.money, id).balances[mode], message });
  }

  /** Cancels the customer's last task of this trial, if there is one. */
  async #cancelLast(customer: ModelCustomer): Promise<void> {
    const task = this.#recentOf(customer).at(-1);
    if (!task) return;
    // A cancelled generation may look like a failure to a poll at the same time.
    model.taskOf(this.money, task.id).allowedEnds.add('cancelled').add('provider_failed');
    const { status } = await this.#post(`/admin/tasks/${task.id}/cancel`);
    if (status === 200) task.isCancelled = true;
  }

  /** Closes an account with running tasks; an administrator settles their failed refunds. */
  async #closeAtWork(): Promise<void> {
    const { upstream, admin } = this.#installation;
    const customer = await this.#open({ live: 100 });
    upstream.move('stop');
    await this.#order(customer, { fails: true });
    await this.#order(customer, { fails: true });
    await this.#post(`/admin/accounts/${customer.id}/close`);
    model.closeAccount(this.money, customer.id);
    upstream.move('go');
    for (const [nth, { id }] of this.#recentOf(customer).entries()) {
      await this.#final(id);
      const outcome = nth % 2 === 0 ? 'refunded' : 'written_off';
      const path = `/admin/tasks/${id}/settle-refund`;
      // Twice: the second request is rejected.
      for (const expected of [[200, 400], [400]]) {
        const { status, body } = await this.#retry(() =>
          admin.post(path, { outcome, note: 'Model' }),
        );
        if (!expected.includes(status)) throw new Error(`${path}: ${JSON.stringify(body)}`);
      }
      this.#end(id, await this.#final(id));
      model.resolve(this.money, id, outcome);
    }
  }

  /** Waits until all tasks are final and compares them with the model; returns the violations. */
  async #reconcile(): Promise<string[]> {
    const violations: string[] = [];
    for (const { id, isCancelled, isNotified } of this.#recentTasks) {
      const task = await this.#final(id);
      try {
        if (model.taskOf(this.money, id).end === null) this.#end(id, task);
      } catch (error) {
        violations.push((error as Error).message);
      }
      const { settlement } = model.taskOf(this.money, id);
      if (task.billing_status !== settlement) violations.push(`${id} is ${task.billing_status}`);
      if (isCancelled && task.failed_reason !== 'cancelled')
        violations.push(`${id} is not cancelled`);
      if (isNotified) violations.push(...(await this.#webhookViolations(id)));
    }
    this.#recentTasks = [];
    for (const { balance, message } of this.#rejections) {
      if (balance.available >= taskCredits) violations.push(`rejected with credits: ${message}`);
    }
    this.#rejections = [];
    return [...violations, ...(await this.#ledgerViolations())];
  }

  #end(id: string, task: TaskStatusResponse): void {
    model.end(this.money, id, task.status === 'completed' ? 'completed' : task.failed_reason!);
  }

  async #final(id: string): Promise<TaskStatusResponse> {
    const fromMs = monotonicMs();
    for (;;) {
      const { status, body } = await this.#retry(() =>
        this.#installation.admin.get(`/admin/tasks/${id}`),
      );
      if (status !== 200) throw new Error(`lost: ${id} was accepted, and now returns ${status}`);
      const task = body as unknown as TaskStatusResponse;
      if (task.status === 'completed' || task.status === 'failed') return task;
      if (monotonicMs() - fromMs > finalMsMax)
        throw new Error(`not final: ${id} is ${task.status}`);
      await sleep(pollMs, this.#signal);
    }
  }

  async #webhookViolations(id: string): Promise<string[]> {
    const { receiver } = this.#installation;
    const fromMs = monotonicMs();
    const webhooks = () => receiver.webhooks.filter(({ body }) => body.id === id);
    while (webhooks().length === 0) {
      if (monotonicMs() - fromMs > finalMsMax) return [`no webhook about ${id}`];
      await sleep(pollMs, this.#signal);
    }
    const messages = new Set(
      webhooks().map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`),
    );
    return messages.size === 1 ? [] : [`${messages.size} different webhook messages about ${id}`];
  }

  async #ledgerViolations(): Promise<string[]> {
    const { admin, upstream } = this.#installation;
    const violations = upstream.doubledReferences().map((one) => `generated twice: ${one}`);
    const { body: audit } = await this.#retry(() => admin.get('/admin/audit'));
    violations.push(...brokenChecks(audit));
    for (const [id, { balances }] of this.money.accounts) {
      const { body } = await this.#retry(() => admin.get(`/admin/accounts/${id}`));
      const balance = body.balance as Record<model.Mode, model.ModelBalance>;
      for (const mode of ['live', 'test'] as const) {
        const [actual, expected] = [shown(balance[mode]), shown(balances[mode])];
        if (actual !== expected) violations.push(`${id} ${mode}: ${actual}, not ${expected}`);
      }
    }
    return violations;
  }

  get #url(): string {
    return this.#installation.url;
  }

  /** The provider fails tasks by their number. */
  #nextNumber(fails: boolean): number {
    do this.#numbers += 1;
    while (shouldFail(this.#numbers) !== fails);
    return this.#numbers;
  }
}

/** Test keys use the built-in provider: a mark in the prompt decides. */
const endOf = (mode: model.Mode, fails: boolean): model.TaskEnd => {
  if (fails) return 'provider_failed';
  return mode === 'test' ? 'provider_rejected' : 'completed';
};

const shown = ({ available, reserved, suspended }: model.ModelBalance): string =>
  `available ${available}, reserved ${reserved}, suspended ${suspended}`;
