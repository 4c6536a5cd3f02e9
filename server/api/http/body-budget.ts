/**
 * Limits the memory of bodies that are being received or handled, together and for each sender. If
 * it does not suffice, the body that has been arriving for the longest time is given up: of the
 * sender that is over its share, or of the one that holds most. So a sender that holds its bodies
 * back loses them, and those of others arrive.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';

type Sender = {
  readonly name: string;
  bytes: number;
  /** Oldest first. */
  readonly arriving: Set<HeldBody>;
};

export class BodyBudget {
  readonly #bytesMax: number;
  readonly #senderBytesMax: number;
  readonly #senders = new Map<string, Sender>();
  #bytes = 0;

  constructor(limits: { readonly bytesMax: number; readonly senderBytesMax: number }) {
    this.#bytesMax = limits.bytesMax;
    this.#senderBytesMax = limits.senderBytesMax;
  }

  /** A body that begins to arrive. Dispose of it when its request is answered. */
  open(senderName: string): HeldBody {
    const known = this.#senders.get(senderName);
    const sender = known ?? { name: senderName, bytes: 0, arriving: new Set<HeldBody>() };
    if (!known) this.#senders.set(senderName, sender);
    return new HeldBody(sender, (bytes) => this.#add(sender, bytes));
  }

  #add(sender: Sender, bytes: number): void {
    sender.bytes += bytes;
    this.#bytes += bytes;
    if (bytes > 0) {
      while (sender.bytes > this.#senderBytesMax && giveUpOldest(sender));
      while (this.#bytes > this.#bytesMax && giveUpOldest(this.#findLargest()));
    } else if (sender.bytes === 0 && sender.arriving.size === 0) {
      this.#senders.delete(sender.name);
    }
  }

  #findLargest(): Sender | undefined {
    let largest: Sender | undefined;
    for (const sender of this.#senders.values()) {
      if (sender.arriving.size > 0 && sender.bytes > (largest?.bytes ?? 0)) largest = sender;
    }
    return largest;
  }
}

/** Returns false if there is none. */
function giveUpOldest(sender: Sender | undefined): boolean {
  const oldest = sender?.arriving.values().next().value;
  oldest?.giveUp();
  return oldest !== undefined;
}

/** What one body holds. */
export class HeldBody implements Disposable {
  readonly #sender: Sender;
  readonly #add: (bytes: number) => void;
  #bytes = 0;
  #isGivenUp = false;
  #onGivenUp = (_error: ApiError): void => {};

  constructor(sender: Sender, add: (bytes: number) => void) {
    this.#sender = sender;
    this.#add = add;
    sender.arriving.add(this);
  }

  /** Called once, with the error for the client, if the body is given up while it arrives. */
  whenGivenUp(callback: (error: ApiError) => void): void {
    this.#onGivenUp = callback;
  }

  /** Throws `rate_limited` if there is no room for it. */
  take(bytes: number): void {
    if (!this.#isGivenUp) {
      this.#bytes += bytes;
      this.#add(bytes);
    }
    if (this.#isGivenUp) throw tooManyBodies();
  }

  /** The body has arrived, and is not given up any more. */
  arrived(): void {
    this.#sender.arriving.delete(this);
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this[Symbol.dispose]();
    this.#onGivenUp(tooManyBodies());
  }

  [Symbol.dispose](): void {
    this.#sender.arriving.delete(this);
    this.#add(-this.#bytes);
    this.#bytes = 0;
  }
}

const retrySeconds = 5;
const tooManyBodies = () =>
  new ApiError(
    'rate_limited',
    `Too many requests are being received at the moment; retry in ${retrySeconds} seconds.`,
    { retryAfter: retrySeconds },
  );
