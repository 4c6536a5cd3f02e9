/**
 * Customers and an operator of an installation whose processes die. Whoever gets no answer asks
 * again until there is one; what was answered is told to the model, and at the end the model and
 * the service must agree on every balance.
 */
import type { AuditAnswer } from '@vidgen/contract/admin-audit.ts';
import type { TaskStatusAnswer } from '@vidgen/contract/task-status.ts';
import { elapsedMs, sleep } from '../../../server/clock.ts';
import { clientOf, type HttpAnswer } from '../../kit/service.ts';
import type { Installation } from '../installation.ts';
import { isMeantToFail, promptOf } from '../upstream.ts';
import * as model from './model.ts';

const retryMs = 100;
const lookMs = 50;
/** Generous: a busy machine is no lost task. */
const finalMsMax = 120_000;
/** What a 480p video of 5 seconds costs. */
const credits = 5;
const timeoutSeconds = 3600;
/** More than a run spends. */
const muchMoney = 1_000_000;

export type Customer = { readonly id: string; readonly keys: Record<model.Mode, string> };
type Ordered = { readonly id: string; readonly isTold: boolean; isCancelled: boolean };

export class Customers {
  readonly money = model.noMoney();
  readonly #installation: Installation;
  readonly #signal: AbortSignal;
  /** Of the last kill; those before are final, and do not change any more. */
  #fresh: Ordered[] = [];
  #refusals: { readonly purse: model.Purse; readonly told: string }[] = [];
  #numbers = 0;
  #names = 0;

  constructor(installation: Installation, signal: AbortSignal) {
    this.#installation = installation;
    this.#signal = signal;
  }

  /** Its last task, if it has one of this time. */
  lastOf(customer: Customer): Ordered | undefined {
    return this.#allOf(customer).at(-1);
  }

  #allOf({ id: account }: Customer): Ordered[] {
    return this.#fresh.filter(({ id }) => model.taskOf(this.money, id).account === account);
  }

  /** Again and again until it is answered; a 500 is no answer. */
  async #answer(send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    for (;;) {
      this.#signal.throwIfAborted();
      const answer = await send().catch(() => null);
      if (answer && answer.status < 500) return answer;
      await sleep(retryMs, this.#signal);
    }
  }

  #ask(path: string, body: unknown = {}): Promise<HttpAnswer> {
    return this.#answer(() => this.#installation.admin.post(path, body));
  }

  async open({ live = muchMoney, test = 0 } = {}): Promise<Customer> {
    const { body } = await this.#ask('/admin/accounts', { name: 'Model' });
    const id = body.id as string;
    model.openAccount(this.money, id);
    const keys = { live: await this.#mint(id, 'live'), test: await this.#mint(id, 'test') };
    const customer = { id, keys };
    if (live > 0) await this.grant(customer, 'live', live);
    if (test > 0) await this.grant(customer, 'test', test);
    return customer;
  }

  async #mint(id: string, mode: model.Mode): Promise<string> {
    const { body } = await this.#ask(`/admin/accounts/${id}/keys`, { name: 'Model', mode });
    return body.key as string;
  }

  /** A new key; the old one must not work any more once it was revoked. */
  async changeKey({ id, keys }: Customer): Promise<void> {
    const old = keys.live;
    keys.live = await this.#mint(id, 'live');
    const path = `/admin/accounts/${id}/keys?limit=100`;
    const { body } = await this.#answer(() => this.#installation.admin.get(path));
    const items = body.items as { id: string; last_four: string }[];
    const revoked = items.find(({ last_four }) => old.endsWith(last_four))!;
    const revoking = `/admin/keys/${revoked.id}`;
    await this.#answer(() => this.#installation.admin.send('DELETE', revoking));
    const { status } = await this.#answer(() => clientOf(this.#url, old).get('/v1/credits'));
    if (status !== 401) throw new Error(`a revoked key is answered ${status}`);
  }

  async grant({ id }: Customer, mode: model.Mode, amount: number): Promise<void> {
    const reference = `grant ${++this.#names}`;
    const note = 'Model';
    await this.#ask(`/admin/accounts/${id}/credits`, { amount, mode, note, reference });
    model.grant(this.money, id, { mode, amount, reference });
  }

  /** Redeemed twice at once: the credits come once, whoever is answered. */
  async redeem({ id }: Customer, amount: number): Promise<void> {
    const wanted = { amount, mode: 'live', count: 1, note: 'Model' };
    const { body } = await this.#ask('/admin/redemption-codes', wanted);
    const { code } = (body.items as { code: string }[])[0]!;
    const redemption = () => this.#ask(`/admin/accounts/${id}/redemptions`, { code });
    await Promise.all([redemption(), redemption()]);
    model.grant(this.money, id, { mode: 'live', amount, reference: `code ${code}` });
  }

  /** Sent twice at once where `times` says so: one task all the same. */
  async order(customer: Customer, order: Order): Promise<void> {
    const { mode = 'live', fails = false, times = 1, isTold = true } = order;
    const number = this.#nextNumber(fails);
    const mark = fails ? '[test:fail]' : '[test:reject]';
    const prompt = mode === 'test' ? `${promptOf(number)} ${mark}` : promptOf(number);
    const request = {
      model: 'vidgen-2-0-mini',
      ...(isTold ? { callback_url: this.#installation.receiver.url } : {}),
      input: { prompt, resolution: '480p', duration: 5 },
    };
    const headers = { 'idempotency-key': `create ${number}` };
    const send = async () => {
      const key = customer.keys[mode];
      const answer = await clientOf(this.#url, key).create(request, headers);
      if (answer.status === 401 && key !== customer.keys[mode]) throw new Error('with the new key');
      return answer;
    };
    const sent = Array.from({ length: times }, () => this.#answer(send));
    const [first, ...others] = await Promise.all(sent);
    const id = first!.body.taskId as string | undefined;
    if (others.some(({ body }) => body.taskId !== id)) throw new Error('one create is two tasks');
    if (id === undefined) return this.#refuse(customer, mode, first!);
    const named = { name: `create ${number}`, request: 'x' };
    model.accept(this.money, id, { account: customer.id, mode, credits, timeoutSeconds, named });
    model.taskOf(this.money, id).may.add(endOf(mode, fails));
    this.#installation.clients.acknowledged.set(number, id);
    this.#fresh.push({ id, isTold, isCancelled: false });
  }

  /** Only for want of credits, which is looked at when everything has come to its end. */
  #refuse({ id }: Customer, mode: model.Mode, { status, body }: HttpAnswer): void {
    const told = JSON.stringify(body);
    if (status !== 402) throw new Error(`a create is refused: ${told}`);
    this.#refusals.push({ purse: model.accountOf(this.money, id).purses[mode], told });
  }

  async cancel(task: Ordered): Promise<void> {
    const { may } = model.taskOf(this.money, task.id);
    // What we stop may look like a failure to somebody who asks the provider meanwhile.
    may.add('cancelled').add('provider_failed');
    const { status } = await this.#ask(`/admin/tasks/${task.id}/cancel`);
    if (status === 200) task.isCancelled = true;
  }

  /** Closed while its tasks are made: what fails then waits for a person, and gets one. */
  async closeAtWork(): Promise<void> {
    const { upstream, admin } = this.#installation;
    const customer = await this.open({ live: 100 });
    upstream.move('stop');
    await this.order(customer, { fails: true });
    await this.order(customer, { fails: true });
    await this.#ask(`/admin/accounts/${customer.id}/close`);
    model.closeAccount(this.money, customer.id);
    upstream.move('go');
    for (const [nth, { id }] of this.#allOf(customer).entries()) {
      await this.#final(id);
      const outcome = nth % 2 === 0 ? 'refunded' : 'written_off';
      const path = `/admin/tasks/${id}/settle-refund`;
      // Twice: the second is told that there is nothing left to do.
      for (const expected of [[200, 400], [400]]) {
        const { status, body } = await this.#answer(() =>
          admin.post(path, { outcome, note: 'Model' }),
        );
        if (!expected.includes(status)) throw new Error(`${path}: ${JSON.stringify(body)}`);
      }
      this.#end(id, await this.#final(id));
      model.resolve(this.money, id, outcome);
    }
  }

  /** Waits until all is final and told, and compares it with the model: every breach a sentence. */
  async reckon(): Promise<string[]> {
    const breaches: string[] = [];
    for (const { id, isCancelled, isTold } of this.#fresh) {
      const task = await this.#final(id);
      try {
        if (model.taskOf(this.money, id).end === null) this.#end(id, task);
      } catch (error) {
        breaches.push((error as Error).message);
      }
      const { settlement } = model.taskOf(this.money, id);
      if (task.billing_status !== settlement) breaches.push(`${id} is ${task.billing_status}`);
      if (isCancelled && task.failed_reason !== 'cancelled') breaches.push(`${id}: cancelled`);
      if (isTold) breaches.push(...(await this.#toldTroubles(id)));
    }
    this.#fresh = [];
    for (const { purse, told } of this.#refusals) {
      if (purse.available >= credits) breaches.push(`refused with enough credits: ${told}`);
    }
    this.#refusals = [];
    return [...breaches, ...(await this.#bookTroubles())];
  }

  #end(id: string, task: TaskStatusAnswer): void {
    model.end(this.money, id, task.status === 'completed' ? 'completed' : task.failed_reason!);
  }

  async #final(id: string): Promise<TaskStatusAnswer> {
    const fromMs = elapsedMs();
    for (;;) {
      const { status, body } = await this.#answer(() =>
        this.#installation.admin.get(`/admin/tasks/${id}`),
      );
      if (status !== 200) throw new Error(`lost: ${id} was accepted, and is answered ${status}`);
      const task = body as unknown as TaskStatusAnswer;
      if (task.status === 'completed' || task.status === 'failed') return task;
      if (elapsedMs() - fromMs > finalMsMax) throw new Error(`not final: ${id} is ${task.status}`);
      await sleep(lookMs, this.#signal);
    }
  }

  async #toldTroubles(id: string): Promise<string[]> {
    const { receiver } = this.#installation;
    const fromMs = elapsedMs();
    const told = () => receiver.calls.filter(({ body }) => body.id === id);
    while (told().length === 0) {
      if (elapsedMs() - fromMs > finalMsMax) return [`nobody was told about ${id}`];
      await sleep(lookMs, this.#signal);
    }
    const messages = new Set(told().map(({ headers, raw }) => `${headers['webhook-id']} ${raw}`));
    return messages.size === 1 ? [] : [`${messages.size} different messages about ${id}`];
  }

  async #bookTroubles(): Promise<string[]> {
    const { admin, upstream } = this.#installation;
    const breaches = upstream.doubledReferences().map((one) => `generated twice: ${one}`);
    const { body: audit } = await this.#answer(() => admin.get('/admin/audit'));
    const { checks } = audit as unknown as AuditAnswer;
    for (const { name, ok, offenders } of checks) if (!ok) breaches.push(`${name}: ${offenders}`);
    for (const [id, { purses }] of this.money.accounts) {
      const { body } = await this.#answer(() => admin.get(`/admin/accounts/${id}`));
      const balance = body.balance as Record<model.Mode, model.Purse>;
      for (const mode of ['live', 'test'] as const) {
        const [got, wanted] = [shown(balance[mode]), shown(purses[mode])];
        if (got !== wanted) breaches.push(`${id} ${mode}: ${got}, not ${wanted}`);
      }
    }
    return breaches;
  }

  get #url(): string {
    return this.#installation.url;
  }

  /** The provider fails some by their numbers. */
  #nextNumber(fails: boolean): number {
    do this.#numbers += 1;
    while (isMeantToFail(this.#numbers) !== fails);
    return this.#numbers;
  }
}

export type Order = {
  readonly mode?: model.Mode;
  readonly fails?: boolean;
  readonly times?: number;
  readonly isTold?: boolean;
};

/** Test keys never leave this machine: a mark in the prompt decides. */
const endOf = (mode: model.Mode, fails: boolean): model.End => {
  if (fails) return 'provider_failed';
  return mode === 'test' ? 'provider_rejected' : 'completed';
};

/** What was charged is what is left of what was granted: the first invariant. */
const shown = ({ available, reserved, suspended }: model.Purse): string =>
  `available ${available}, reserved ${reserved}, suspended ${suspended}`;
