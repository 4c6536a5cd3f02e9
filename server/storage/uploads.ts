/**
 * Files that people upload to use as materials: kept for two days, each under a URL that no one can
 * guess or forge. Stored next to the results, under keys that no task has.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import { signaturesEqual, signParts } from './signed-url.ts';
import { parseKey, type Storage, type StoredFile } from './storage.ts';

/** From the upload until its URL expires. */
export const uploadTtlMs = 48 * 3_600_000;

/** Per account, at any time. */
const accountBytesMax = 2 * 1024 ** 3;
const accountFilesMax = 1000;

const keyPrefix = 'upload_';
const namePattern = /^([0-9a-f]{16})-([0-9a-f]{32}\.[a-z0-9]{3,4})$/;

/** An upload URL of ours with a valid signature; it may have expired. */
export type UploadRef = { readonly key: string; readonly isExpired: boolean };

export type Uploads = {
  /**
   * Throws `invalid_request` if the account would exceed its limit. The caller deletes the local
   * file.
   */
  add(upload: {
    readonly accountId: string;
    readonly file: string;
    readonly bytes: number;
    readonly extension: string;
  }): Promise<{ readonly url: string; readonly expiresAtSeconds: number }>;
  /** Throws `invalid_request` if the account has no space left; called before the body is read. */
  requireUploadQuota(accountId: string, bytes?: number): Promise<void>;
  /**
   * A copy that the service itself keeps for an account, by name: not counted as its upload, and
   * under the same URL whenever it is saved or found again.
   */
  saveCopy(copy: Copy & { readonly file: string }): Promise<{ readonly url: string }>;
  findCopy(copy: Copy): Promise<{ readonly url: string } | null>;
  keyOfCopy(copy: CopyName): string;
  /** Of all copies that are kept for an account. */
  copiedBytes(accountId: string): Promise<number>;
  /** Null for every other URL, including one of ours that was tampered with. */
  parseUrl(url: string): UploadRef | null;
  verify(parts: UploadUrlParts): UploadRef | null;
  open(upload: UploadRef): Promise<StoredFile | null>;
};

type CopyName = { readonly accountId: string; readonly name: string };
type Copy = CopyName & { readonly expiresAtSeconds: number };

type UploadUrlParts = {
  readonly name: string;
  readonly expires: string;
  readonly signature: string;
};

export const isUploadKey = (key: string): boolean => key.startsWith(keyPrefix);

/** The name of a copy begins with that of its folder; that of an upload is random. */
export function isCopyKey(key: string): boolean {
  const [folder = '', , file = ''] = key.split('/');
  return isUploadKey(key) && file.startsWith(folder.slice(keyPrefix.length));
}

export function createUploads({
  storage,
  secret,
  publicUrl,
  nowSeconds,
}: {
  readonly storage: Storage;
  readonly secret: string;
  readonly publicUrl: () => string;
  /** The database clock, so that a URL expires at the same time on every process. */
  readonly nowSeconds: () => number;
}): Uploads {
  const sign = ({ name, expires }: Omit<UploadUrlParts, 'signature'>) =>
    signParts(secret, ['upload address', name, expires]);

  const urlOf = (name: string, expiresAtSeconds: number): string => {
    const expires = String(expiresAtSeconds);
    const query = `expires=${expires}&signature=${sign({ name, expires })}`;
    return `${baseOf(publicUrl())}${name}?${query}`;
  };
  // Signed, so that nobody who knows a task's ID can tell the name.
  const nameOfCopy = ({ accountId, name }: CopyName): string => {
    const digest = createHash('sha256').update(signParts(secret, ['source copy', name]));
    const tag = copyTag(accountId);
    return `${tag}-${tag}${digest.digest('hex').slice(0, 16)}.mp4`;
  };

  const verify = (parts: UploadUrlParts): UploadRef | null => {
    const key = keyOf(parts.name);
    if (key === null || !/^[1-9][0-9]{0,10}$/.test(parts.expires)) return null;
    if (!signaturesEqual(sign(parts), parts.signature)) return null;
    return { key, isExpired: nowSeconds() >= Number(parts.expires) };
  };

  const requireUploadQuota = async (accountId: string, bytes = 1) => {
    let [files, bytesUsed] = [0, 0];
    for await (const entry of storage.list(`${keyPrefix}${accountTag(accountId)}/`)) {
      files += 1;
      bytesUsed += entry.bytes;
    }
    if (files < accountFilesMax && bytesUsed + bytes <= accountBytesMax) return;
    throw new ApiError(
      'invalid_request',
      'Upload limit reached (1,000 files or 2 GiB); uploads are deleted after two days.',
    );
  };

  return {
    requireUploadQuota,
    verify,
    parseUrl(url) {
      const parts = splitUploadUrl(url, publicUrl());
      return parts && verify(parts);
    },
    open: ({ key }) => storage.open(key),
    async add({ accountId, file, bytes, extension }) {
      await requireUploadQuota(accountId, bytes);
      const name = `${accountTag(accountId)}-${randomBytes(16).toString('hex')}.${extension}`;
      const key = keyOf(name)!;
      await storage.put({ key, file, contentType: parseKey(key).contentType });
      const expiresAtSeconds = nowSeconds() + uploadTtlMs / 1000;
      return { url: urlOf(name, expiresAtSeconds), expiresAtSeconds };
    },
    async saveCopy({ file, expiresAtSeconds, ...copy }) {
      const name = nameOfCopy(copy);
      const key = keyOf(name)!;
      await storage.put({ key, file, contentType: parseKey(key).contentType });
      return { url: urlOf(name, expiresAtSeconds) };
    },
    async findCopy({ expiresAtSeconds, ...copy }) {
      const name = nameOfCopy(copy);
      const file = await storage.open(keyOf(name)!);
      await file?.close();
      return file && { url: urlOf(name, expiresAtSeconds) };
    },
    keyOfCopy: (copy) => keyOf(nameOfCopy(copy))!,
    async copiedBytes(accountId) {
      let bytes = 0;
      for await (const entry of storage.list(`${keyPrefix}${copyTag(accountId)}/`)) {
        bytes += entry.bytes;
      }
      return bytes;
    },
  };
}

/** The folder of an account's uploads, which does not reveal the account. */
const accountTag = (accountId: string): string =>
  createHash('sha256').update(`uploads of ${accountId}`).digest('hex').slice(0, 16);

/** The folder of the copies that are kept for an account. */
const copyTag = (accountId: string): string => accountTag(`the service for ${accountId}`);

function keyOf(name: string): string | null {
  const [, tag, file] = namePattern.exec(name) ?? [];
  return tag === undefined ? null : `${keyPrefix}${tag}/1/${file}`;
}

const baseOf = (publicUrl: string): string => `${publicUrl.replace(/\/{1,9}$/, '')}/uploads/`;

/**
 * Accepts only the exact spelling that we issue; anything similar is treated like any other URL.
 */
function splitUploadUrl(url: string, publicUrl: string): UploadUrlParts | null {
  const base = baseOf(publicUrl);
  if (!url.startsWith(base)) return null;
  const [, name, expires, signature] =
    /^([0-9a-z.-]+)\?expires=([0-9]+)&signature=([\w-]+)$/.exec(url.slice(base.length)) ?? [];
  if (name === undefined || expires === undefined || signature === undefined) return null;
  return { name, expires, signature };
}
