/**
 * Files of a person's own that are to be used as materials: kept for two days, each under an
 * address that nobody can guess or make. Beside the results, under keys that no task has.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import { isSameSignature, signParts } from './signed-address.ts';
import { parseKey, type Storage, type StoredFile } from './storage.ts';

/** From the upload until its address ends. */
export const uploadLifeMs = 48 * 3_600_000;

/** Of one account, at the same time. */
const accountBytesMax = 2 * 1024 ** 3;
const accountFilesMax = 1000;

const keyStart = 'upload_';
const namePattern = /^([0-9a-f]{16})-([0-9a-f]{32}\.[a-z0-9]{3,4})$/;

/** An address of ours that bears a good signature; whether its time is up is told apart. */
export type UploadFound = { readonly key: string; readonly isExpired: boolean };

export type Uploads = {
  /** Refused where the account would hold too much. The local file stays the caller's. */
  add(upload: {
    readonly accountId: string;
    readonly file: string;
    readonly bytes: number;
    readonly extension: string;
  }): Promise<{ readonly url: string; readonly expiresAtSeconds: number }>;
  /** Throws a refusal where the account has no room for one more, before any of it is read. */
  requireRoom(accountId: string, bytes?: number): Promise<void>;
  /** Null for every other address, also for one of ours that was tampered with. */
  recognise(address: string): UploadFound | null;
  verify(given: UploadAddress): UploadFound | null;
  open(found: UploadFound): Promise<StoredFile | null>;
};

export type UploadAddress = {
  readonly name: string;
  readonly expires: string;
  readonly signature: string;
};

export const isUploadKey = (key: string): boolean => key.startsWith(keyStart);

export function createUploads({
  storage,
  secret,
  publicUrl,
  nowSeconds,
}: {
  readonly storage: Storage;
  readonly secret: string;
  readonly publicUrl: () => string;
  /** The database's: an address must not end earlier at one process than at another. */
  readonly nowSeconds: () => number;
}): Uploads {
  const sign = ({ name, expires }: Omit<UploadAddress, 'signature'>) =>
    signParts(secret, ['upload address', name, expires]);

  const verify = (given: UploadAddress): UploadFound | null => {
    const key = keyOf(given.name);
    if (key === null || !/^[1-9][0-9]{0,10}$/.test(given.expires)) return null;
    if (!isSameSignature(sign(given), given.signature)) return null;
    return { key, isExpired: nowSeconds() >= Number(given.expires) };
  };

  const requireRoom = async (accountId: string, bytes = 1) => {
    let [files, held] = [0, 0];
    for await (const entry of storage.list(`${keyStart}${tagOf(accountId)}/`)) {
      files += 1;
      held += entry.bytes;
    }
    if (files < accountFilesMax && held + bytes <= accountBytesMax) return;
    throw new Refusal(
      'invalid_request',
      'This account holds as many uploads as it may (1,000 files, 2 GiB together): each is ' +
        'removed two days after it was made.',
    );
  };

  return {
    requireRoom,
    verify,
    recognise(address) {
      const given = partsOf(address, publicUrl());
      return given && verify(given);
    },
    open: ({ key }) => storage.open(key),
    async add({ accountId, file, bytes, extension }) {
      await requireRoom(accountId, bytes);
      const name = `${tagOf(accountId)}-${randomBytes(16).toString('hex')}.${extension}`;
      const key = keyOf(name)!;
      await storage.put({ key, file, contentType: parseKey(key).contentType });
      const expiresAtSeconds = nowSeconds() + uploadLifeMs / 1000;
      const expires = String(expiresAtSeconds);
      const query = `expires=${expires}&signature=${sign({ name, expires })}`;
      return { url: `${baseOf(publicUrl())}${name}?${query}`, expiresAtSeconds };
    },
  };
}

/** What an account's uploads are kept under, without telling strangers which account it is. */
const tagOf = (accountId: string): string =>
  createHash('sha256').update(`uploads of ${accountId}`).digest('hex').slice(0, 16);

function keyOf(name: string): string | null {
  const [, tag, file] = namePattern.exec(name) ?? [];
  return tag === undefined ? null : `${keyStart}${tag}/1/${file}`;
}

const baseOf = (publicUrl: string): string => `${publicUrl.replace(/\/+$/, '')}/uploads/`;

/** Spelt exactly as we spell them: what is almost ours goes the way of every other address. */
function partsOf(address: string, publicUrl: string): UploadAddress | null {
  const base = baseOf(publicUrl);
  if (!address.startsWith(base)) return null;
  const [, name, expires, signature] =
    /^([0-9a-z.-]+)\?expires=([0-9]+)&signature=([\w-]+)$/.exec(address.slice(base.length)) ?? [];
  if (name === undefined || expires === undefined || signature === undefined) return null;
  return { name, expires, signature };
}
