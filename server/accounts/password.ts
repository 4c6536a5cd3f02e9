/**
 * Passwords as argon2id hashes in PHC format. Only a few are hashed at once, because the same
 * thread pool resolves names and reads files. Timing does not reveal whether a person exists.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../api-error.ts';

/** The minimum that OWASP's Password Storage Cheat Sheet (2025) recommends for argon2id. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const saltBytes = 16;

const concurrentHashesMax = 4;
const waitingMax = 100;

type Hash = {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
};

const derive = promisify(argon2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await computeTag(password, { ...parameters, salt, tagLength });
  return formatPhc({ ...parameters, salt, tag });
}

/**
 * Checks a password. Pass null for a person who does not exist: the same work, never correct.
 * `isOutdated` means that the hash was made with weaker parameters than new hashes.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
): Promise<{ readonly isCorrect: boolean; readonly isOutdated: boolean }> {
  const hash = parsePhc(stored ?? (await getDummyHash()));
  const { salt, tag, memory, passes, parallelism } = hash;
  const cost = { memory, passes, parallelism, salt, tagLength: tag.length };
  const isEqual = timingSafeEqual(await computeTag(password, cost), tag);
  return { isCorrect: isEqual && stored !== null, isOutdated: isOutdated(hash) };
}

const isOutdated = ({ memory, passes, parallelism }: Hash): boolean =>
  memory < parameters.memory || passes < parameters.passes || parallelism < parameters.parallelism;

let dummyHash: Promise<string> | undefined;

/** The hash of a random password, to compare against when there is no person. */
function getDummyHash(): Promise<string> {
  dummyHash ??= hashPassword(randomBytes(saltBytes).toString('base64'));
  return dummyHash;
}

async function computeTag(
  password: string,
  cost: { memory: number; passes: number; parallelism: number; salt: Buffer; tagLength: number },
): Promise<Buffer> {
  using _slot = await acquireSlot();
  // Different Unicode compositions of the same characters are one password (NIST SP 800-63B,
  // 3.1.1.2).
  const message = Buffer.from(password.normalize('NFKC'));
  const { salt: nonce, ...rest } = cost;
  return await derive('argon2id', { ...rest, message, nonce });
}

let running = 0;
const waiting: (() => void)[] = [];

async function acquireSlot(): Promise<Disposable> {
  if (running >= concurrentHashesMax) {
    if (waiting.length >= waitingMax) {
      const retryAfter = 2;
      const message = `Too many sign-ins right now; try again in ${retryAfter} seconds.`;
      throw new ApiError('rate_limited', message, { retryAfter });
    }
    // The slot is handed over by the previous holder, so `running` does not change.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running++;
  }
  return {
    [Symbol.dispose]: () => {
      const next = waiting.shift();
      if (next) next();
      else running--;
    },
  };
}

function formatPhc({ memory, passes, parallelism, salt, tag }: Hash): string {
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const cost = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(salt)}$${unpadded(tag)}`;
}

const phcPattern =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parsePhc(text: string): Hash {
  const found = phcPattern.exec(text);
  if (!found) throw new Error('stored password hash is not argon2id in PHC format');
  const [memory, passes, parallelism] = found.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = found.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer];
  return { memory, passes, parallelism, salt, tag };
}
