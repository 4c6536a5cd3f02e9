/**
 * Customers of a soak run: they create at a steady pace, look, wait, cancel, list and download. A
 * create that is not answered is sent again with its Idempotency-Key until it is, and everything
 * that was said yes to is remembered.
 */
import type { TaskStatusAnswer } from '@vidgen/contract/task-status.ts';
import { elapsedMs, every, sleep } from '../../../server/clock.ts';
import { clientOf, type HttpAnswer } from '../../kit/service.ts';
import { promptOf } from '../upstream.ts';
import type { Measurements } from './measurements.ts';
import { planOf, type TaskPlan } from './schedule.ts';
import type { World } from './world.ts';

export type Acknowledged = {
  readonly plan: TaskPlan;
  readonly taskId: string;
  /** What a cancel was answered; null: none was asked for, or its answer was lost. */
  cancelled: 'yes' | 'no' | null;
};

const tickMs = 50;
const retryMs = 250;
const lookMs = 1000;
const waitSeconds = 20;
const beforeCancelMs = 700;
const listEvery = 10;
const breachesMax = 50;

export class Customers {
  readonly acknowledged = new Map<number, Acknowledged>();
  /** What must never be answered, as sentences. */
  readonly breaches: string[] = [];
  downloads = 0;
  cancels = 0;
  readonly #world: World;
  readonly #measurements: Measurements;
  readonly #perSecond: number;
  readonly #under = new Set<Promise<void>>();
  #ticker: { stop(): void } | undefined;
  #numbers = 0;
  #asked = 0;
  #abandoned = false;

  constructor(parts: { world: World; measurements: Measurements; perSecond: number }) {
    this.#world = parts.world;
    this.#measurements = parts.measurements;
    this.#perSecond = parts.perSecond;
  }

  start(): void {
    const fromMs = elapsedMs();
    this.#ticker = every(tickMs, () => {
      const due = Math.floor(((elapsedMs() - fromMs) / 1000) * this.#perSecond);
      while (this.#numbers < due) this.#begin(++this.#numbers);
    });
  }

  /** Resolves when every create has its answer, and everybody who watched has seen the end. */
  async stop(): Promise<void> {
    this.#ticker?.stop();
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  /** Also gives up what nobody is left to answer. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    await this.stop();
  }

  #begin(number: number): void {
    const story = this.#live(planOf(this.#world.options.seed, number)).catch((error: Error) =>
      this.#breach(`task ${number}: ${error.stack}`),
    );
    this.#under.add(story);
    void story.finally(() => this.#under.delete(story));
  }

  async #live(plan: TaskPlan): Promise<void> {
    const taskId = await this.#create(plan);
    if (taskId === null) return;
    const known: Acknowledged = { plan, taskId, cancelled: null };
    this.acknowledged.set(plan.number, known);
    if (plan.number % listEvery === 0) {
      await this.#ask('list', plan, (client) => client.get('/v1/tasks?limit=20'));
    }
    if (plan.end === 'cancelled') known.cancelled = await this.#cancel(plan, taskId);
    if (plan.watched === 'not at all') return;
    const task = await this.#seeFinal(plan, taskId);
    if (plan.downloads && task?.status === 'completed') await this.#download(task);
  }

  async #create(plan: TaskPlan): Promise<string | null> {
    const { number, callback, lastFrame, material } = plan;
    const { receivers, provider } = this.#world;
    const body = {
      model: 'vidgen-2-0-mini',
      ...(callback ? { callback_url: receivers.urlOf(callback) } : {}),
      input: {
        prompt: promptOf(number),
        resolution: '480p',
        duration: 5,
        return_last_frame: lastFrame,
        ...(material
          ? {
              generation_type: 'image-to-video',
              image_urls: [provider.double.results.frameUrl(`boat-${number}`)],
            }
          : {}),
      },
    };
    const headers = { 'idempotency-key': `task ${number}` };
    while (!this.#abandoned) {
      const answer = await this.#ask('create', plan, (client) => client.create(body, headers));
      if (answer?.status === 200) return answer.body.taskId as string;
      if (answer && answer.status < 500) return null;
      await sleep(retryMs);
    }
    return null;
  }

  async #cancel(plan: TaskPlan, taskId: string): Promise<Acknowledged['cancelled']> {
    await sleep(beforeCancelMs);
    this.cancels += 1;
    const path = `/v1/tasks/${taskId}/cancel`;
    const answer = await this.#ask('cancel', plan, (client) => client.post(path));
    if (answer?.status === 200) return 'yes';
    return answer?.status === 400 ? 'no' : null;
  }

  /** Null when the run was given up before. */
  async #seeFinal(plan: TaskPlan, taskId: string): Promise<TaskStatusAnswer | null> {
    const isWaiting = plan.watched === 'by waiting';
    const path = `/v1/tasks/${taskId}${isWaiting ? `?wait=${waitSeconds}` : ''}`;
    const name = isWaiting ? 'wait' : 'status';
    while (!this.#abandoned) {
      const answer = await this.#ask(name, plan, (client) => client.get(path));
      const task = answer?.body as TaskStatusAnswer | undefined;
      if (answer?.status === 200 && isFinal(task!)) return task!;
      if (answer && answer.status < 500 && answer.status !== 200) return null;
      await sleep(answer && isWaiting ? 0 : lookMs);
    }
    return null;
  }

  async #download(task: TaskStatusAnswer): Promise<void> {
    const [url] = task.data?.results ?? [];
    if (!url) return; // It came to its end while nobody answered, and has expired since.
    const path = url.slice(new URL(url).origin.length);
    const fromMs = elapsedMs();
    const answer = await fetch(this.#world.urlFor(++this.#asked) + path).catch(() => null);
    const bytes = (await answer?.arrayBuffer().catch(() => null))?.byteLength ?? 0;
    if (!answer || answer.status >= 500 || bytes === 0) return;
    this.#measurements.took('download', elapsedMs() - fromMs);
    this.downloads += 1;
    const isExpired = new Date(task.data!.video_expires_at) <= new Date();
    if (answer.status !== 200 && !isExpired) {
      this.#breach(`the result of ${task.id} was answered with ${answer.status}`);
    }
  }

  /** One request; null when it was not answered, as by a process that is dead. */
  async #ask(
    operation: string,
    { account, number }: TaskPlan,
    request: (client: ReturnType<typeof clientOf>) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer | null> {
    const { key } = this.#world.accounts[account]!;
    const client = clientOf(this.#world.urlFor(++this.#asked), key);
    const fromMs = elapsedMs();
    const answer = await request(client).catch(() => null);
    if (!answer || isLate(answer)) return null;
    const { status, body } = answer;
    const isWrong =
      status >= 500 ? !this.#world.isTroubled : status >= 400 && operation !== 'cancel';
    if (isWrong) this.#breach(`${operation} of task ${number}: ${status} ${JSON.stringify(body)}`);
    if (status === 200) this.#measurements.took(operation, elapsedMs() - fromMs);
    return answer;
  }

  #breach(sentence: string): void {
    if (this.breaches.length < breachesMax) this.breaches.push(sentence);
  }
}

/** On a machine that stood still for so long that a request took 15 s to be read. */
const isLate = ({ status, body }: HttpAnswer): boolean =>
  status === 400 && JSON.stringify(body).includes('must arrive within');

const isFinal = ({ status }: TaskStatusAnswer): boolean =>
  status === 'completed' || status === 'failed';
