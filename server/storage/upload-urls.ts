/**
 * Names, keys and signed URLs of uploads. A URL is accepted exactly as it was issued, and without
 * the secret no one can create one or guess a name.
 */
import { createHash, randomBytes } from 'node:crypto';
import { signaturesEqual, signParts } from './signed-url.ts';
import { parseKey } from './storage.ts';

const keyPrefix = 'upload_';
const namePattern = /^([0-9a-f]{16})-([0-9a-f]{32}\.[a-z0-9]{3,4})$/;
/** The first digits of a file's name, which follow from its content; the others are random. */
const contentDigits = 16;

/** An upload URL of ours with a valid signature; it may have expired. */
export type UploadRef = { readonly key: string; readonly isExpired: boolean };

export type CopyName = { readonly accountId: string; readonly name: string };

type UploadUrlParts = {
  readonly name: string;
  readonly expires: string;
  readonly signature: string;
};

export type UploadUrls = ReturnType<typeof createUploadUrls>;

export function createUploadUrls({
  secret,
  publicUrl,
  nowSeconds,
}: {
  readonly secret: string;
  readonly publicUrl: () => string;
  /** The database clock, so that a URL expires at the same time on every process. */
  readonly nowSeconds: () => number;
}) {
  const sign = ({ name, expires }: Omit<UploadUrlParts, 'signature'>) =>
    signParts(secret, ['upload address', name, expires]);
  /** Signed, so that nobody who knows the parts can tell the name. */
  const digitsOf = (parts: readonly string[], count: number): string =>
    createHash('sha256').update(signParts(secret, parts)).digest('hex').slice(0, count);

  const verify = (parts: UploadUrlParts): UploadRef | null => {
    const key = uploadKey(parts.name);
    if (key === null || !/^[1-9][0-9]{0,10}$/.test(parts.expires)) return null;
    if (!signaturesEqual(sign(parts), parts.signature)) return null;
    return { key, isExpired: nowSeconds() >= Number(parts.expires) };
  };
  const parseUrl = (url: string): UploadRef | null => {
    const parts = splitUploadUrl(url, publicUrl());
    return parts && verify(parts);
  };
  return {
    urlOf(name: string, expiresAtSeconds: number): string {
      const expires = String(expiresAtSeconds);
      const query = `expires=${expires}&signature=${sign({ name, expires })}`;
      return `${baseOf(publicUrl())}${name}?${query}`;
    },
    /** `digest` is of the content. */
    newName({
      accountId,
      extension,
      digest,
    }: Readonly<Record<'accountId' | 'extension' | 'digest', string>>): string {
      const content = digitsOf(['upload content', accountId, digest], contentDigits);
      return `${accountTag(accountId)}-${content}${randomBytes(8).toString('hex')}.${extension}`;
    },
    /** The name of a copy that the service itself keeps for an account. */
    nameOfCopy({ accountId, name }: CopyName): string {
      const tag = copyTag(accountId);
      return `${tag}-${tag}${digitsOf(['source copy', name], 16)}.mp4`;
    },
    /** Null for every other URL, including one of ours that was tampered with. */
    parseUrl,
    verify,
    /**
     * The same text for every upload URL of the account with the same content, and any other URL as
     * it is: a repeated request that uploads its files again is the same request.
     */
    contentName(url: string): string {
      const upload = parseUrl(url);
      if (!upload) return url;
      const { taskId: folder, name } = parseKey(upload.key);
      return `${folder}/${name.slice(0, contentDigits)}`;
    },
  };
}

export const isUploadKey = (key: string): boolean => key.startsWith(keyPrefix);

/** The name of a copy begins with that of its folder; that of an upload is random. */
export function isCopyKey(key: string): boolean {
  const [folder = '', , file = ''] = key.split('/');
  return isUploadKey(key) && file.startsWith(folder.slice(keyPrefix.length));
}

/** The folder of an account's uploads, which does not reveal the account. */
const accountTag = (accountId: string): string =>
  createHash('sha256').update(`uploads of ${accountId}`).digest('hex').slice(0, 16);

/** The folder of the copies that are kept for an account. */
const copyTag = (accountId: string): string => accountTag(`the service for ${accountId}`);

/** The prefix of the keys of these copies. */
export const copyFolder = (accountId: string): string => `${keyPrefix}${copyTag(accountId)}/`;

/** The prefix of the keys of an account's uploads. */
export const uploadFolder = (accountId: string): string => `${keyPrefix}${accountTag(accountId)}/`;

/** The name that a key was made of. */
export const uploadName = (key: string): string => {
  const { taskId: folder, name } = parseKey(key);
  return `${folder.slice(keyPrefix.length)}-${name}`;
};

export function uploadKey(name: string): string | null {
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
