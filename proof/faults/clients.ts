/**
 * Clients that create tasks all the time and remember every answer. A create that was not answered
 * is sent again with its Idempotency-Key, as a careful integrator does, until it is.
 */
import { sleep } from '../../server/clock.ts';
import type { Receiver } from '../kit/receiver.ts';
import { clientOf, type HttpResponse } from '../kit/service.ts';
import { promptOf } from './upstream.ts';

const clientsMax = 4;
/** About twenty creates a second in all: enough to have work at every stage, on two cores. */
const pauseMs = 200;
const retryMs = 100;
/** One in so many asks for the last frame too. */
const framesEvery = 5;

export class Clients {
  /** Task number to task id: what the service has said yes to. */
  readonly acknowledged = new Map<number, string>();
  /** Answers that are neither a yes nor a moment's trouble. */
  readonly rejections: string[] = [];
  /** Creates that were answered `internal_error`, and sent again. */
  internalErrors = 0;
  readonly #url: string;
  readonly #receiver: Receiver;
  readonly #notifiedTasks = new Set<string>();
  #webhooksRead = 0;
  #key = '';
  #lastNumber = 0;
  #running: Promise<void>[] = [];
  #isRunning = false;
  #abandoned = false;

  constructor({ url, receiver }: { url: string; receiver: Receiver }) {
    this.#url = url;
    this.#receiver = receiver;
  }

  useKey(key: string): void {
    this.#key = key;
  }

  start(): void {
    this.#isRunning = true;
    this.#running = Array.from({ length: clientsMax }, () => this.#run());
  }

  /** Resolves when every create has its answer: until then some may be on their way. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#running);
    this.#running = [];
  }

  /** Also gives up creates that nobody is left to answer. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    await this.stop();
  }

  /** Whether the receiver has heard how the task with this number ended. */
  hasWebhook(taskNumber: number): boolean {
    const { webhooks } = this.#receiver;
    for (; this.#webhooksRead < webhooks.length; this.#webhooksRead++) {
      this.#notifiedTasks.add(webhooks[this.#webhooksRead]!.body.id);
    }
    const taskId = this.acknowledged.get(taskNumber);
    return taskId !== undefined && this.#notifiedTasks.has(taskId);
  }

  /** One create, repeated until it is answered; the first try may go to another process. */
  async create({ firstAt = this.#url }: { firstAt?: string } = {}): Promise<number> {
    const taskNumber = ++this.#lastNumber;
    const body = {
      model: 'vidgen-2-0-mini',
      callback_url: this.#receiver.url,
      input: {
        prompt: promptOf(taskNumber),
        resolution: '480p',
        duration: 5,
        return_last_frame: taskNumber % framesEvery === 0,
      },
    };
    for (let url = firstAt; !this.#abandoned; url = this.#url) {
      const response = await clientOf(url, this.#key)
        .create(body, { 'idempotency-key': `task ${taskNumber}` })
        .catch(() => null);
      if (response?.status === 200) {
        this.acknowledged.set(taskNumber, response.body.taskId as string);
        return taskNumber;
      }
      const isTransient = response?.status === 500 && codeOf(response) === 'internal_error';
      if (isTransient) this.internalErrors += 1;
      else if (response) {
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

const codeOf = ({ body }: HttpResponse): unknown => (body.error as { code?: unknown } | null)?.code;
