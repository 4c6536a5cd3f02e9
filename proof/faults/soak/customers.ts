/** Customers of a soak run: they create tasks at a steady rate, wait, cancel and download. */
import type { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { monotonicMs, sleep, startInterval } from '../../../server/process/clock.ts';
import { type Client, clientOf, type HttpResponse } from '../../kit/service.ts';
import { isLate } from '../clients.ts';
import type { SoakEnvironment } from './environment.ts';
import { planOf, type TaskPlan } from './schedule.ts';

const tickMs = 50;
const pollMs = 1000;
const waitSeconds = 20;
const beforeCancelMs = 700;
const violationsMax = 50;

/** The response to a cancel: 200, an error, or none that tells whether it was done. */
export type CancelOutcome = 'accepted' | 'rejected' | 'unknown';

export class SoakCustomers {
  readonly cancels = new Map<number, CancelOutcome>();
  readonly violations: string[] = [];
  downloads = 0;
  readonly #env: SoakEnvironment;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #ticker: { stop(): void };
  #isAbandoned = false;

  constructor(env: SoakEnvironment, { perSecond }: { readonly perSecond: number }) {
    this.#env = env;
    const fromMs = monotonicMs();
    let begun = 0;
    this.#ticker = startInterval(tickMs, () => {
      const due = Math.floor(((monotonicMs() - fromMs) / 1000) * perSecond);
      for (; begun < due; begun++) this.#begin(env.installation.clients.nextNumber());
    });
  }

  /** Resolves when every create has its response and every watched task has ended. */
  async stop(): Promise<void> {
    this.#ticker.stop();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Also gives up requests that no process is left to answer. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await this.stop();
  }

  #begin(number: number): void {
    const lifetime = this.#runTask(planOf(this.#env.seed, number)).catch((error: Error) =>
      this.#recordViolation(`task ${number}: ${error.stack}`),
    );
    this.#inFlight.add(lifetime);
    void lifetime.finally(() => this.#inFlight.delete(lifetime));
  }

  async #runTask(plan: TaskPlan): Promise<void> {
    const { number, callback, lastFrame, material } = plan;
    const { clients, accounts, upstream } = this.#env.installation;
    const image = upstream.fake.results.frameUrl(`boat-${number}`);
    const fromImage = { generation_type: 'image-to-video', image_urls: [image] };
    await clients.create({
      taskNumber: number,
      firstUrl: this.#env.urlFor(number),
      key: accounts[plan.account]!.key,
      callbackUrl: callback && this.#env.callbackUrl(callback),
      input: { return_last_frame: lastFrame, ...(material ? fromImage : {}) },
    });
    const taskId = clients.acknowledged.get(number);
    if (taskId === undefined) return;
    if (plan.end === 'cancelled') await this.#cancel(plan, taskId);
    if (!plan.isWatched) return;
    const task = await this.#seeFinal(plan, taskId);
    if (plan.downloads && task?.status === 'completed') await this.#download(task, plan);
  }

  async #cancel(plan: TaskPlan, taskId: string): Promise<void> {
    await sleep(beforeCancelMs);
    this.cancels.set(plan.number, 'unknown');
    const path = `/v1/tasks/${taskId}/cancel`;
    const response = await this.#send(plan, (client) => client.post(path));
    if (!response || response.status >= 500) return;
    this.cancels.set(plan.number, response.status === 200 ? 'accepted' : 'rejected');
  }

  /** Null when the run was stopped before the task ended. */
  async #seeFinal(plan: TaskPlan, taskId: string): Promise<TaskStatusResponse | null> {
    const path = `/v1/tasks/${taskId}?wait=${waitSeconds}`;
    while (!this.#isAbandoned) {
      const response = await this.#send(plan, (client) => client.get(path));
      const task = response?.body as TaskStatusResponse | undefined;
      if (response?.status === 200 && isFinal(task!)) return task!;
      if (response && response.status >= 400 && response.status < 500) {
        this.#recordViolation(`${taskId}: ${response.status} ${JSON.stringify(response.body)}`);
        return null;
      }
      await sleep(response?.status === 200 ? 0 : pollMs);
    }
    return null;
  }

  async #download(task: TaskStatusResponse, { number }: TaskPlan): Promise<void> {
    const [url] = task.data?.results ?? [];
    if (!url) return; // The result expired while no process responded.
    const path = url.slice(new URL(url).origin.length);
    const response = await fetch(this.#env.urlFor(number) + path).catch(() => null);
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
    { account, number }: TaskPlan,
    request: (client: Client) => Promise<HttpResponse>,
  ): Promise<HttpResponse | null> {
    const { key } = this.#env.installation.accounts[account]!;
    const response = await request(clientOf(this.#env.urlFor(number), key)).catch(() => null);
    if (!response || isLate(response)) return null;
    if (response.status >= 500 && !this.#env.isDisturbed) {
      const { status, body } = response;
      this.#recordViolation(`task ${number}: ${status} ${JSON.stringify(body)}`);
    }
    return response;
  }

  #recordViolation(violation: string): void {
    if (this.violations.length < violationsMax) this.violations.push(violation);
  }
}

const isFinal = ({ status }: TaskStatusResponse): boolean =>
  status === 'completed' || status === 'failed';
