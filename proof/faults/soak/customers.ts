/**
 * Customers of a soak run: they create tasks at a steady rate, poll, wait, cancel, list and
 * download. A create without a response is sent again with its Idempotency-Key until it has one.
 */
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { monotonicMs, sleep, startInterval } from '../../../server/process/clock.ts';
import { type Client, clientOf, type HttpResponse } from '../../kit/service.ts';
import { isLate } from '../clients.ts';
import { promptOf } from '../upstream.ts';
import type { SoakEnvironment } from './environment.ts';
import { planOf, type TaskPlan } from './schedule.ts';

const tickMs = 50;
const retryMs = 250;
const pollMs = 1000;
const waitSeconds = 20;
const beforeCancelMs = 700;
const listEvery = 10;
const violationsMax = 50;

/** The response to a cancel: 200, an error, or none that tells whether it was done. */
export type CancelOutcome = 'accepted' | 'rejected' | 'unknown';

export class SoakCustomers {
  /** By task number. */
  readonly cancels = new Map<number, CancelOutcome>();
  readonly violations: string[] = [];
  /** Keys of creates without a response so far, which are sent again with the same key. */
  readonly openKeys = new Set<string>();
  downloads = 0;
  readonly #env: SoakEnvironment;
  readonly #perSecond: number;
  readonly #inFlight = new Set<Promise<void>>();
  #ticker: { stop(): void } | undefined;
  #numbers = 0;
  #requests = 0;
  #isAbandoned = false;

  constructor(parts: { env: SoakEnvironment; perSecond: number }) {
    this.#env = parts.env;
    this.#perSecond = parts.perSecond;
  }

  start(): void {
    const fromMs = monotonicMs();
    this.#ticker = startInterval(tickMs, () => {
      const due = Math.floor(((monotonicMs() - fromMs) / 1000) * this.#perSecond);
      while (this.#numbers < due) this.#begin(++this.#numbers);
    });
  }

  /** Resolves when every create has its response and every watched task has ended. */
  async stop(): Promise<void> {
    this.#ticker?.stop();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Also gives up requests that no process is left to answer. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await this.stop();
  }

  #begin(number: number): void {
    const lifetime = this.#runTask(planOf(this.#env.options.seed, number)).catch((error: Error) =>
      this.#recordViolation(`task ${number}: ${error.stack}`),
    );
    this.#inFlight.add(lifetime);
    void lifetime.finally(() => this.#inFlight.delete(lifetime));
  }

  async #runTask(plan: TaskPlan): Promise<void> {
    const taskId = await this.#create(plan);
    if (taskId === null) return;
    this.#env.installation.clients.acknowledged.set(plan.number, taskId);
    if (plan.number % listEvery === 0) {
      await this.#send('list', plan, (client) => client.get('/v1/tasks?limit=20'));
    }
    if (plan.end === 'cancelled') await this.#cancel(plan, taskId);
    if (plan.watched === 'not at all') return;
    const task = await this.#seeFinal(plan, taskId);
    if (plan.downloads && task?.status === 'completed') await this.#download(task);
  }

  async #create(plan: TaskPlan): Promise<string | null> {
    const { number, callback, lastFrame, material } = plan;
    const { installation } = this.#env;
    const body = {
      model: 'vidgen-2-0-mini',
      ...(callback ? { callback_url: this.#env.callbackUrl(callback) } : {}),
      input: {
        prompt: promptOf(number),
        resolution: '480p',
        duration: 5,
        return_last_frame: lastFrame,
        ...(material
          ? {
              generation_type: 'image-to-video',
              image_urls: [installation.upstream.fake.results.frameUrl(`boat-${number}`)],
            }
          : {}),
      },
    };
    const key = `task ${number}`;
    const headers = { 'idempotency-key': key };
    this.openKeys.add(key);
    while (!this.#isAbandoned) {
      const response = await this.#send('create', plan, (client) => client.create(body, headers));
      if (response && response.status < 500) {
        this.openKeys.delete(key);
        return response.status === 200 ? (response.body.taskId as string) : null;
      }
      await sleep(retryMs);
    }
    return null;
  }

  async #cancel(plan: TaskPlan, taskId: string): Promise<void> {
    await sleep(beforeCancelMs);
    this.cancels.set(plan.number, 'unknown');
    const path = `/v1/tasks/${taskId}/cancel`;
    const response = await this.#send('cancel', plan, (client) => client.post(path));
    if (!response || response.status >= 500) return;
    this.cancels.set(plan.number, response.status === 200 ? 'accepted' : 'rejected');
  }

  /** Null when the run was stopped before the task ended. */
  async #seeFinal(plan: TaskPlan, taskId: string): Promise<TaskStatusResponse | null> {
    const isWaiting = plan.watched === 'by waiting';
    const path = `/v1/tasks/${taskId}${isWaiting ? `?wait=${waitSeconds}` : ''}`;
    const name = isWaiting ? 'wait' : 'status';
    while (!this.#isAbandoned) {
      const response = await this.#send(name, plan, (client) => client.get(path));
      const task = response?.body as TaskStatusResponse | undefined;
      if (response?.status === 200 && isFinal(task!)) return task!;
      if (response && response.status < 500 && response.status !== 200) return null;
      await sleep(response && isWaiting ? 0 : pollMs);
    }
    return null;
  }

  async #download(task: TaskStatusResponse): Promise<void> {
    const [url] = task.data?.results ?? [];
    if (!url) return; // The result expired while no process responded.
    const path = url.slice(new URL(url).origin.length);
    const response = await fetch(this.#env.urlFor(++this.#requests) + path).catch(() => null);
    const bytes = (await response?.arrayBuffer().catch(() => null))?.byteLength ?? 0;
    if (!response || response.status >= 500 || bytes === 0) return;
    this.downloads += 1;
    const isExpired = new Date(task.data!.video_expires_at) <= new Date();
    if (response.status !== 200 && !isExpired) {
      this.#recordViolation(`the result of ${task.id} was answered with ${response.status}`);
    }
  }

  /** Sends one request; null without a response, as from a dead process. */
  async #send(
    operation: string,
    { account, number }: TaskPlan,
    request: (client: Client) => Promise<HttpResponse>,
  ): Promise<HttpResponse | null> {
    const { key } = this.#env.installation.accounts[account]!;
    const client = clientOf(this.#env.urlFor(++this.#requests), key);
    const response = await request(client).catch(() => null);
    if (!response || isLate(response)) return null;
    const { status, body } = response;
    const isWrong =
      status >= 500 ? !this.#env.isDisturbed : status >= 400 && operation !== 'cancel';
    if (isWrong)
      this.#recordViolation(`${operation} of task ${number}: ${status} ${JSON.stringify(body)}`);
    return response;
  }

  #recordViolation(violation: string): void {
    if (this.violations.length < violationsMax) this.violations.push(violation);
  }
}

const isFinal = ({ status }: TaskStatusResponse): boolean =>
  status === 'completed' || status === 'failed';
