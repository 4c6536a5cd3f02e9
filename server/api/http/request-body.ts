/** Receives bodies of requests within limits of size, time and memory. */
import type { IncomingMessage } from 'node:http';
import { type ApiError, invalidRequest, rateLimited } from '@vidgen/contract/api-error.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { ApiServices, BodyFiles, Caller } from './handler.ts';

type Sender = {
  readonly name: string;
  bytes: number;
  /** Oldest first. */
  readonly arriving: Set<HeldBody>;
};

/**
 * Limits the memory of bodies that are being received or handled, together and for each sender. If
 * it does not suffice, the body that has been arriving for the longest time is given up: of the
 * sender that is over its share, or of the one that holds most. So a sender that holds its bodies
 * back loses them, and those of others arrive.
 */
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
  rateLimited('Too many requests are being received at the moment', retrySeconds);

/** Of a body that is kept in memory. */
export const textBytesMax = 1024 * 1024;
/** Of people: names, passwords, URLs. */
const personBytesMax = 64 * 1024;
/**
 * Bodies of unauthenticated callers. Callbacks are signed over their bytes, and are as long as the
 * provider likes.
 */
const unauthenticatedBytesMax = 16 * 1024;

/** Whether the request announces a body, even an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Of all callers with a credential, each an account, a person or the admin token. */
const callerBudget = new BodyBudget({ bytesMax: 128 * 1024 ** 2, senderBytesMax: 32 * 1024 ** 2 });
/**
 * Budgets of unauthenticated callers, by network: all forms of people, and each kind of callback
 * by itself.
 */
const formBudget = new BodyBudget({ bytesMax: 16 * 1024 ** 2, senderBytesMax: 1024 ** 2 });
const callbackBudgets = new Map<string, BodyBudget>();

function callbackBudgetOf({ path }: Endpoint): BodyBudget {
  const limits = { bytesMax: 16 * 1024 ** 2, senderBytesMax: 4 * 1024 ** 2 };
  const budget = callbackBudgets.get(path) ?? new BodyBudget(limits);
  callbackBudgets.set(path, budget);
  return budget;
}

/** The body of a request: the text of JSON, or the fields of a form. */
export type ReceivedBody =
  | { readonly text: Buffer }
  | { readonly fields: Readonly<Record<string, unknown>> };

/** Opens a body with `materialBody`, whose files are deleted at `close` unless they are kept. */
export type OpenMaterialBody = (
  services: ApiServices,
  options: {
    readonly accountId: string;
    readonly caller: Pick<Caller, 'identity' | 'person' | 'role'>;
    /** Whether `multipart/form-data` is accepted too. */
    readonly acceptsForm: boolean;
    readonly abortSignal: () => AbortSignal;
    readonly onFirstFile: () => void;
  },
) => BodyFiles & {
  read(request: IncomingMessage, held: HeldBody): Promise<ReceivedBody>;
  close(): Promise<void>;
};

/** Where the body of a request is counted, and how long it may be. */
export function openBody(
  endpoint: Endpoint,
  { identity, person, isAdmin }: Pick<Caller, 'identity' | 'person' | 'isAdmin'>,
  remoteAddress: () => string | undefined,
): { readonly held: HeldBody; readonly bytesMax: number } {
  const { auth, rawBody, materialBody } = endpoint;
  if (auth === 'none') {
    const network = clientNetwork(remoteAddress());
    return rawBody
      ? { held: callbackBudgetOf(endpoint).open(network), bytesMax: textBytesMax }
      : { held: formBudget.open(network), bytesMax: unauthenticatedBytesMax };
  }
  const held = callerBudget.open(identity?.accountId ?? person?.id ?? 'admin token');
  const isSmall = !identity && !isAdmin && !materialBody;
  return { held, bytesMax: isSmall ? personBytesMax : textBytesMax };
}

/** Bytes in one piece of memory: an object for each of many small chunks would need far more. */
export class CollectedBytes {
  readonly #held: HeldBody;
  #memory: Buffer = Buffer.alloc(0);
  length = 0;

  constructor(held: HeldBody) {
    this.#held = held;
  }

  /** Throws `rate_limited` if there is no room for them. */
  append(chunk: Buffer): void {
    const start = this.length;
    this.length += chunk.length;
    if (this.length > this.#memory.length) {
      const size = Math.max(this.length, 2 * this.#memory.length);
      this.#held.take(size - this.#memory.length);
      this.#memory = Buffer.concat([this.#memory], size);
    }
    chunk.copy(this.#memory, start);
  }

  bytes(): Buffer {
    return this.#memory.subarray(0, this.length);
  }
}

/** Throws if it is too large; the rest is then read and dropped, so that the response arrives. */
export function readBody(
  request: IncomingMessage,
  { held, bytesMax = textBytesMax }: { readonly held: HeldBody; readonly bytesMax?: number },
): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const collected = new CollectedBytes(held);
    const fail = (error: unknown) => {
      request.off('data', onData).off('end', onEnd).resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (collected.length + chunk.length > bytesMax) return fail(bodyTooLarge(bytesMax));
      try {
        collected.append(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => resolve(collected.bytes());
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
      return fail(bodyTooLarge(bytesMax));
    }
    request.on('data', onData).once('end', onEnd);
    // The client has gone, so that nobody reads the response.
    request.once('error', () => fail(incomplete()));
    held.whenGivenUp(fail);
  });
}

export const bodyTooLarge = (bytesMax: number): ApiError => {
  const isLarge = bytesMax >= 1024 ** 2;
  const figure = Math.floor(bytesMax / (isLarge ? 1024 ** 2 : 1024));
  const limit = `${figure} ${isLarge ? 'MiB' : 'KiB'}`;
  return invalidRequest(`The body must be at most ${limit}.`);
};

const incomplete = () => invalidRequest('The request was incomplete; send it again.');
