/** Collects the body of a request in memory, within the budget of its sender. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import { BodyBudget, type HeldBody } from './body-budget.ts';
import type { Endpoint } from './endpoint-definition.ts';
import type { Caller } from './handler.ts';

/** Of a body that is kept in memory. */
export const textBytesMax = 1024 * 1024;
/** Of people: names, passwords, URLs. */
const personBytesMax = 64 * 1024;
/** Of strangers. Callbacks are signed over their bytes, and are as long as the provider likes. */
const strangerBytesMax = 16 * 1024;

/** Whether the request announces a body, even an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Of all callers with a credential, each an account, a person or the admin token. */
const callerBudget = new BodyBudget({ bytesMax: 128 * 1024 ** 2, senderBytesMax: 32 * 1024 ** 2 });
/** Of strangers, by network: all forms of people, and each kind of callback by itself. */
const formBudget = new BodyBudget({ bytesMax: 16 * 1024 ** 2, senderBytesMax: 1024 ** 2 });
const callbackBudgets = new Map<string, BodyBudget>();

function callbackBudgetOf({ path }: Endpoint): BodyBudget {
  const limits = { bytesMax: 16 * 1024 ** 2, senderBytesMax: 4 * 1024 ** 2 };
  const budget = callbackBudgets.get(path) ?? new BodyBudget(limits);
  callbackBudgets.set(path, budget);
  return budget;
}

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
      : { held: formBudget.open(network), bytesMax: strangerBytesMax };
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
  return new ApiError('invalid_request', `The body must be at most ${limit}.`);
};

const incomplete = () =>
  new ApiError('invalid_request', 'The request was incomplete; send it again.');
