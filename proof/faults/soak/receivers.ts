/** Good and bad webhook receivers of a soak run, on the receiver of the installation. */
import { nowMs, startTimer } from '../../../server/clock.ts';
import type { Receiver } from '../../kit/receiver.ts';
import type { ReceiverBehavior } from './schedule.ts';

const slowMs = 3000;
const flakyFailures = 2;

export class SoakReceivers {
  readonly #receiver: Receiver;
  readonly #attempts = new Map<string, number>();
  #lateness: number[] = [];

  /** `resultLifeMs` tells the end of a task from the expiry of its result. */
  constructor(receiver: Receiver, resultLifeMs: number) {
    this.#receiver = receiver;
    receiver.onWebhook(({ path, body }, response) => {
      const attempts = (this.#attempts.get(body.id) ?? 0) + 1;
      this.#attempts.set(body.id, attempts);
      const behavior = path.slice(1) as ReceiverBehavior;
      const { video_expires_at: expiresAt } = body.data as { video_expires_at?: string };
      if (behavior === 'good' && expiresAt && attempts === 1) {
        const finalMs = new Date(expiresAt).getTime() - resultLifeMs;
        this.#lateness.push(Math.max(0, nowMs() - finalMs) / 1000);
      }
      const isFlaky = behavior === 'flaky' && attempts <= flakyFailures;
      const status = behavior === 'failing' || isFlaky ? 503 : 200;
      const end = () => void response.writeHead(status).end();
      if (behavior === 'slow') startTimer(slowMs, end);
      else end();
    });
  }

  urlOf(behavior: ReceiverBehavior): string {
    return new URL(`/${behavior}`, this.#receiver.url).href;
  }

  /** Seconds from the end of a task to its webhook at a good receiver, since the last call. */
  takeLateness(): number[] {
    return this.#lateness.splice(0);
  }
}
