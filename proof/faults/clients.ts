/**
 * Clients that create tasks all the time and remember every answer. A create that was not answered
 * is sent again with its Idempotency-Key, as a careful integrator does, until it is.
 */
import { sleep } from '../../server/clock.ts';
import type { Receiver } from '../kit/receiver.ts';
import { clientOf, type HttpAnswer } from '../kit/service.ts';
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
  readonly refused: string[] = [];
  /** Creates that were answered `internal_error`, and sent again. */
  internalErrors = 0;
  readonly #url: string;
  readonly #receiver: Receiver;
  readonly #calledAbout = new Set<string>();
  #callsRead = 0;
  #key = '';
  #lastNumber = 0;
  #running: Promise<void>[] = [];
  #going = false;
  #abandoned = false;

  constructor({ url, receiver }: { url: string; receiver: Receiver }) {
    this.#url = url;
    this.#receiver = receiver;
  }

  useKey(key: string): void {
    this.#key = key;
  }

  start(): void {
    this.#going = true;
    this.#running = Array.from({ length: clientsMax }, () => this.#run());
  }

  /** Resolves when every create has its answer: until then some may be on their way. */
  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#running);
    this.#running = [];
  }

  /** Also gives up creates that nobody is left to answer. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    await this.stop();
  }

  /** Whether the receiver has heard how the task with this number ended. */
  isCalledAbout(taskNumber: number): boolean {
    const { calls } = this.#receiver;
    for (; this.#callsRead < calls.length; this.#callsRead++) {
      this.#calledAbout.add(calls[this.#callsRead]!.body.id);
    }
    const taskId = this.acknowledged.get(taskNumber);
    return taskId !== undefined && this.#calledAbout.has(taskId);
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
      const answer = await clientOf(url, this.#key)
        .create(body, { 'idempotency-key': `task ${taskNumber}` })
        .catch(() => null);
      if (answer?.status === 200) {
        this.acknowledged.set(taskNumber, answer.body.taskId as string);
        return taskNumber;
      }
      const isMoment = answer?.status === 500 && codeOf(answer) === 'internal_error';
      if (isMoment) this.internalErrors += 1;
      else if (answer) {
        this.refused.push(`create ${taskNumber}: ${JSON.stringify(answer.body)}`);
        return taskNumber;
      }
      await sleep(retryMs);
    }
    return taskNumber;
  }

  async #run(): Promise<void> {
    while (this.#going) {
      await this.create();
      await sleep(pauseMs * Math.random() * 2);
    }
  }
}

const codeOf = ({ body }: HttpAnswer): unknown => (body.error as { code?: unknown } | null)?.code;
