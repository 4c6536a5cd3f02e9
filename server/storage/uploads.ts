/**
 * Files that people and programs upload to use as materials: kept for two days, each under a URL
 * that no one can guess or forge. Stored next to the results, under keys that no task has.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import { parseKey, type Storage, type StoredFile } from './storage.ts';
import {
  type CopyName,
  copyFolder,
  createUploadUrls,
  keyOf,
  type UploadRef,
  type UploadUrls,
  uploadFolder,
  uploadName,
} from './upload-urls.ts';

/** From the upload until its URL expires. */
export const uploadTtlMs = 48 * 3_600_000;

/** Per account, at any time. */
const accountBytesMax = 2 * 1024 ** 3;
const accountFilesMax = 1000;

const idPattern = /^file_([0-9a-f]{32})$/;

/** The name of a file before it is stored. */
export type NewUpload = {
  /** For clients that name files by ID, see `urlOfFile`. */
  readonly id: string;
  readonly key: string;
  readonly url: string;
  readonly contentType: string;
  readonly expiresAtSeconds: number;
};

export type Uploads = Pick<UploadUrls, 'parseUrl' | 'verify' | 'contentName'> & {
  issue(file: Parameters<UploadUrls['newName']>[0]): NewUpload;
  /**
   * Throws `invalid_request` if the account would exceed its limit. The caller deletes the local
   * files.
   */
  save(
    accountId: string,
    files: readonly {
      readonly upload: NewUpload;
      readonly file: string;
      readonly bytes: number;
      readonly digest?: string;
    }[],
    signal?: AbortSignal,
  ): Promise<void>;
  /** Ignores files that do not exist. */
  remove(uploads: readonly Pick<NewUpload, 'key'>[]): Promise<void>;
  /** Throws `invalid_request` if the account has no space left; called before the body is read. */
  requireUploadQuota(
    accountId: string,
    added?: { readonly files: number; readonly bytes: number },
  ): Promise<void>;
  /** The URL of a file of this account by its ID; null if there is none, or no longer. */
  urlOfFile(accountId: string, id: string): Promise<string | null>;
  /**
   * A copy that the service itself keeps for an account, by name: not counted as its upload, and
   * under the same URL whenever it is saved or found again.
   */
  saveCopy(copy: Copy & { readonly file: string }): Promise<{ readonly url: string }>;
  findCopy(copy: Copy): Promise<{ readonly url: string } | null>;
  keyOfCopy(copy: CopyName): string;
  /** Of all copies that are kept for an account. */
  copiedBytes(accountId: string): Promise<number>;
  open(upload: UploadRef): Promise<StoredFile | null>;
};

type Copy = CopyName & { readonly expiresAtSeconds: number };

export function createUploads({
  storage,
  ...signing
}: { readonly storage: Storage } & Parameters<typeof createUploadUrls>[0]): Uploads {
  const { nowSeconds } = signing;
  const { urlOf, newName, nameOfCopy, ...urls } = createUploadUrls(signing);

  const requireUploadQuota: Uploads['requireUploadQuota'] = async (
    accountId,
    added = { files: 1, bytes: 1 },
  ) => {
    let { files, bytes } = added;
    for await (const entry of storage.list(uploadFolder(accountId))) {
      files += 1;
      bytes += entry.bytes;
    }
    if (files <= accountFilesMax && bytes <= accountBytesMax) return;
    throw new ApiError(
      'invalid_request',
      'Upload limit reached (1,000 files or 2 GiB); uploads are deleted after two days.',
    );
  };

  return {
    ...urls,
    requireUploadQuota,
    open: ({ key }) => storage.open(key),
    issue(file) {
      const name = newName(file);
      const key = keyOf(name)!;
      const { contentType, name: fileName } = parseKey(key);
      const id = `file_${fileName.split('.')[0]}`;
      const expiresAtSeconds = nowSeconds() + uploadTtlMs / 1000;
      return { id, key, url: urlOf(name, expiresAtSeconds), contentType, expiresAtSeconds };
    },
    async save(accountId, files, signal) {
      const bytes = files.reduce((total, file) => total + file.bytes, 0);
      await requireUploadQuota(accountId, { files: files.length, bytes });
      for (const { upload, file, digest } of files) {
        const { key, contentType } = upload;
        const sha256 = digest === undefined ? {} : { sha256: digest };
        await storage.put({ key, file, contentType, ...sha256, ...(signal && { signal }) });
      }
    },
    remove: (uploads) => storage.remove(uploads.map(({ key }) => key)),
    async urlOfFile(accountId, id) {
      const [, fileName] = idPattern.exec(id) ?? [];
      if (fileName === undefined) return null;
      for await (const { key, modifiedAt } of storage.list(uploadFolder(accountId))) {
        if (!parseKey(key).name.startsWith(`${fileName}.`)) continue;
        const expiresAtSeconds = Math.floor((modifiedAt.getTime() + uploadTtlMs) / 1000);
        return nowSeconds() < expiresAtSeconds ? urlOf(uploadName(key), expiresAtSeconds) : null;
      }
      return null;
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
      for await (const entry of storage.list(copyFolder(accountId))) {
        bytes += entry.bytes;
      }
      return bytes;
    },
  };
}
