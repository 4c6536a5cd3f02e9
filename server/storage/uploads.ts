/**
 * Files that people and programs upload to use as materials: kept for two days, each under a URL
 * that no one can guess or forge. Stored next to the results, under keys that no task has.
 */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { parseKey, type Storage, type StoredFile } from './storage.ts';
import {
  type CopyName,
  copyFolder,
  createUploadUrls,
  type UploadRef,
  type UploadUrls,
  uploadFolder,
  uploadKey,
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

export type Uploads = ReturnType<typeof createUploads>;

type Copy = CopyName & { readonly expiresAtSeconds: number };

export function createUploads({
  storage,
  ...signing
}: { readonly storage: Storage } & Parameters<typeof createUploadUrls>[0]) {
  const { nowSeconds } = signing;
  const { urlOf, newName, nameOfCopy, ...urls } = createUploadUrls(signing);

  return {
    ...urls,
    requireUploadQuota: (accountId: string, added?: UploadSize) =>
      requireUploadQuota(storage, accountId, added),
    open: ({ key }: UploadRef): Promise<StoredFile | null> => storage.open(key),
    issue(file: Parameters<UploadUrls['newName']>[0]): NewUpload {
      const name = newName(file);
      const key = uploadKey(name)!;
      const { contentType, name: fileName } = parseKey(key);
      const id = `file_${fileName.split('.')[0]}`;
      const expiresAtSeconds = nowSeconds() + uploadTtlMs / 1000;
      return { id, key, url: urlOf(name, expiresAtSeconds), contentType, expiresAtSeconds };
    },
    /**
     * Throws `invalid_request` if the account would exceed its limit. The caller deletes the local
     * files.
     */
    async save(
      accountId: string,
      files: readonly {
        readonly upload: NewUpload;
        readonly file: string;
        readonly bytes: number;
        readonly digest?: string;
      }[],
      signal?: AbortSignal,
    ): Promise<void> {
      const bytes = files.reduce((total, file) => total + file.bytes, 0);
      await requireUploadQuota(storage, accountId, { files: files.length, bytes });
      for (const { upload, file, digest } of files) {
        const { key, contentType } = upload;
        const sha256 = digest === undefined ? {} : { sha256: digest };
        await storage.put({ key, file, contentType, ...sha256, ...(signal && { signal }) });
      }
    },
    /** Ignores files that do not exist. */
    remove: (uploads: readonly Pick<NewUpload, 'key'>[]): Promise<void> =>
      storage.remove(uploads.map(({ key }) => key)),
    /** The URL of a file of this account by its ID; null if there is none, or no longer. */
    async urlOfFile(accountId: string, id: string): Promise<string | null> {
      const [, fileName] = idPattern.exec(id) ?? [];
      if (fileName === undefined) return null;
      for await (const { key, modifiedAt } of storage.list(uploadFolder(accountId))) {
        if (!parseKey(key).name.startsWith(`${fileName}.`)) continue;
        const expiresAtSeconds = Math.floor((modifiedAt.getTime() + uploadTtlMs) / 1000);
        return nowSeconds() < expiresAtSeconds ? urlOf(uploadName(key), expiresAtSeconds) : null;
      }
      return null;
    },
    /**
     * A copy that the service itself keeps for an account, by name: not counted as its upload, and
     * under the same URL whenever it is saved or found again.
     */
    async saveCopy({ file, expiresAtSeconds, ...copy }: Copy & { readonly file: string }) {
      const name = nameOfCopy(copy);
      const key = uploadKey(name)!;
      await storage.put({ key, file, contentType: parseKey(key).contentType });
      return { url: urlOf(name, expiresAtSeconds) };
    },
    async findCopy({ expiresAtSeconds, ...copy }: Copy) {
      const name = nameOfCopy(copy);
      const file = await storage.open(uploadKey(name)!);
      await file?.close();
      return file && { url: urlOf(name, expiresAtSeconds) };
    },
    keyOfCopy: (copy: CopyName): string => uploadKey(nameOfCopy(copy))!,
    /** Of all copies that are kept for an account. */
    async copiedBytes(accountId: string): Promise<number> {
      let bytes = 0;
      for await (const entry of storage.list(copyFolder(accountId))) {
        bytes += entry.bytes;
      }
      return bytes;
    },
  };
}

type UploadSize = { readonly files: number; readonly bytes: number };

/** Throws `invalid_request` if the account has no space left; called before the body is read. */
async function requireUploadQuota(
  storage: Storage,
  accountId: string,
  added: UploadSize = { files: 1, bytes: 1 },
): Promise<void> {
  let { files, bytes } = added;
  for await (const entry of storage.list(uploadFolder(accountId))) {
    files += 1;
    bytes += entry.bytes;
  }
  if (files <= accountFilesMax && bytes <= accountBytesMax) return;
  throw invalidRequest(
    'Upload limit reached (1,000 files or 2 GiB); uploads are deleted after two days.',
  );
}
