/**
 * Passwords as argon2id hashes in PHC format. Only a few are hashed at once, because the same
 * thread pool resolves names and reads files, and strangers never take the last slot: people on
 * known devices, in sessions and with links have a queue of their own. Timing does not reveal
 * whether a person exists.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '@vidgen/contract/api-error.ts';

/** The minimum that OWASP's Password Storage Cheat Sheet (2025) recommends for argon2id. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const saltBytes = 16;

const concurrentHashesMax = { known: 4, stranger: 3 } as const;
const waitingMax = 100;

type Hash = Readonly<typeof parameters> & { readonly salt: Buffer; readonly tag: Buffer };

const derive = promisify(argon2);

/** For a person whose session, password or link was checked before. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const tag = await computeTag(password, { ...parameters, salt, tagLength }, 'known');
  return formatPhc({ ...parameters, salt, tag });
}

/**
 * Checks a password. Pass null for a person who does not exist: the same work, never correct.
 * `isOutdated` means that the hash was made with weaker parameters than new hashes. A caller is
 * known by a session, or by a device on which the person signed in before.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  { isKnown }: { readonly isKnown: boolean },
): Promise<{ readonly isCorrect: boolean; readonly isOutdated: boolean }> {
  const hash = parsePhc(stored ?? (await getDummyHash()));
  const { tag, ...cost } = { ...hash, tagLength: hash.tag.length };
  const caller = isKnown ? 'known' : 'stranger';
  const isEqual = timingSafeEqual(await computeTag(password, cost, caller), tag);
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
  cost: Omit<Hash, 'tag'> & { readonly tagLength: number },
  caller: HashCaller,
): Promise<Buffer> {
  using _slot = await acquireSlot(caller);
  // Different Unicode compositions of the same characters are one password (NIST SP 800-63B,
  // 3.1.1.2).
  const message = Buffer.from(password.normalize('NFKC'));
  const { salt: nonce, ...rest } = cost;
  return await derive('argon2id', { ...rest, message, nonce });
}

type HashCaller = keyof typeof concurrentHashesMax;

let running = 0;
const waiting: Record<HashCaller, (() => void)[]> = { known: [], stranger: [] };

async function acquireSlot(caller: HashCaller): Promise<Disposable> {
  if (running < concurrentHashesMax[caller]) running += 1;
  else {
    if (waiting[caller].length >= waitingMax) {
      const retryAfter = 2;
      const message = `Too many sign-ins right now; try again in ${retryAfter} seconds.`;
      throw new ApiError('rate_limited', message, { retryAfter });
    }
    await new Promise<void>((resolve) => waiting[caller].push(resolve));
  }
  return { [Symbol.dispose]: releaseSlot };
}

/** Hands the slot over, so that `running` does not change. */
function releaseSlot(): void {
  const strangerMayRun = running <= concurrentHashesMax.stranger;
  const next = waiting.known.shift() ?? (strangerMayRun ? waiting.stranger.shift() : undefined);
  if (next) next();
  else running -= 1;
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
