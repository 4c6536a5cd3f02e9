/**
 * Clients that create tasks continuously and remember every acknowledgment. A create without a
 * response is sent again with its Idempotency-Key until it has one, as a careful integrator does.
 */
import { sleep } from '../../server/process/clock.ts';
import type { Receiver } from '../kit/receiver.ts';
import { clientOf, type HttpResponse } from '../kit/service.ts';
import { promptOf } from './upstream.ts';

const clientsMax = 4;
/** About twenty creates per second in total: enough for work at every stage, on two cores. */
const pauseMs = 200;
const retryMs = 100;
/** Every fifth task asks for the last frame, too. */
const tasksPerFrame = 5;

/** On a machine that stalled for so long that reading the request took 15 s. */
export const isLate = ({ status, body }: HttpResponse): boolean =>
  status === 400 && JSON.stringify(body).includes('must arrive within');

type CreateOptions = {
  readonly firstUrl?: string;
  /** By default that of the first account. */
  readonly key?: string;
  readonly taskNumber?: number;
  readonly callbackUrl?: string | null;
  readonly input?: object;
};

export class Clients {
  /** Task IDs by task number: the creates that were answered with 200. */
  readonly acknowledged = new Map<number, string>();
  /** Responses that are neither 200 nor a transient error. */
  readonly rejections: string[] = [];
  /** The messages of creates that were answered `internal_error` and sent again. */
  readonly internalErrors: string[] = [];
  readonly #url: string;
  readonly #receiver: Receiver;
  readonly #notifiedTasks = new Set<string>();
  #webhooksRead = 0;
  #key = '';
  #lastNumber = 0;
  #running: Promise<void>[] = [];
  #isRunning = false;
  #isAbandoned = false;

  constructor({ url, receiver }: { url: string; receiver: Receiver }) {
    this.#url = url;
    this.#receiver = receiver;
  }

  useKey(key: string): void {
    this.#key = key;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = Array.from({ length: clientsMax }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
  }

  /** Also gives up creates that no process is left to answer. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await this.stop();
  }

  /** The numbers of all tasks acknowledged after the first `since`, in their order. */
  taskNumbers(since = 0): number[] {
    return [...this.acknowledged.keys()].slice(since);
  }

  hasWebhook(taskNumber: number): boolean {
    const { webhooks } = this.#receiver;
    for (; this.#webhooksRead < webhooks.length; this.#webhooksRead++) {
      this.#notifiedTasks.add(webhooks[this.#webhooksRead]!.body.id);
    }
    return this.#notifiedTasks.has(this.acknowledged.get(taskNumber) ?? '');
  }

  /** The number of the next task, for a caller that creates it by itself. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /** Creates one task, repeated until it is answered; the first attempt may go to another URL. */
  async create(options: CreateOptions = {}): Promise<number> {
    const { firstUrl = this.#url, key = this.#key, taskNumber = this.nextNumber() } = options;
    const { callbackUrl = this.#receiver.url, input } = options;
    const body = {
      model: 'vidgen-2-0-mini',
      ...(callbackUrl === null ? {} : { callback_url: callbackUrl }),
      input: {
        prompt: promptOf(taskNumber),
        resolution: '480p',
        duration: 5,
        return_last_frame: taskNumber % tasksPerFrame === 0,
        ...input,
      },
    };
    for (let url = firstUrl; !this.#isAbandoned; url = this.#url) {
      const response = await clientOf(url, key)
        .create(body, { 'idempotency-key': `task ${taskNumber}` })
        .catch(() => null);
      if (response?.status === 200) {
        this.acknowledged.set(taskNumber, response.body.taskId as string);
        return taskNumber;
      }
      const error = response?.body.error as { code?: unknown; message: string } | null | undefined;
      if (response && response.status >= 500 && error?.code === 'internal_error') {
        this.internalErrors.push(error.message);
      } else if (response && !isLate(response)) {
        this.rejections.push(`create ${taskNumber}: ${JSON.stringify(response.body)}`);
        return taskNumber;
      }
      await sleep(retryMs);
    }
    return taskNumber;
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      await this.create();
      await sleep(pauseMs * Math.random() * 2);
    }
  }
}
