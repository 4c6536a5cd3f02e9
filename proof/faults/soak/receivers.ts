/** Good and bad webhook receivers of a soak run, on the receiver of the installation. */
import { startTimer } from '../../../server/process/clock.ts';
import type { Receiver } from '../../kit/receiver.ts';
import type { ReceiverBehavior } from './schedule.ts';

const slowMs = 3000;
const flakyFailures = 2;

export class SoakReceivers {
  readonly #receiver: Receiver;
  readonly #attempts = new Map<string, number>();

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
    receiver.onWebhook(({ path, body }, response) => {
      const attempts = (this.#attempts.get(body.id) ?? 0) + 1;
      this.#attempts.set(body.id, attempts);
      const behavior = path.slice(1) as ReceiverBehavior;
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
}
