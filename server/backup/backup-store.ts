/**
 * Where backups are kept: a folder for each, of parts that are written once. A part is on the disk
 * when its write returns.
 */
import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../process/sync-folder.ts';
import { createS3Client } from '../storage/s3-client.ts';
import { createCredentialSource } from '../storage/s3-credentials.ts';
import { placeOf, type S3Settings } from '../storage/s3-settings.ts';
import { type Content, DamagedPartError, digesting, type Part } from './part.ts';

/** Sorted as text, the last one is the newest. Earlier releases wrote no milliseconds. */
export const isBackupId = (name: string): boolean =>
  /^\d{8}T\d{6}Z-(?:\d{3})?[0-9a-f]{6}$/.test(name);

/** Such as `20261116T030000Z-2505e1f0a`: the time, its milliseconds, and six random digits. */
export function newBackupId(takenAt: Date): string {
  const [time, milliseconds] = takenAt.toISOString().replace(/[-:Z]/g, '').split('.');
  return `${time}Z-${milliseconds}${randomBytes(3).toString('hex')}`;
}

export type BackupStore = {
  /** For messages. */
  readonly label: string;
  /** Nothing is under `path` until all of the content is. */
  write(path: string, content: Content): Promise<Part>;
  /** Null if there is no such part. Throws `DamagedPartError` for anything but a file. */
  read(path: string): Promise<Readable | null>;
  /** IDs of all backups, also of incomplete ones. */
  listBackups(): Promise<string[]>;
  removeBackup(id: string): Promise<void>;
  /** Gives a part of another backup a second path; false if the store cannot. */
  reuse(earlier: string, path: string): Promise<boolean>;
};

/** Only the owner can read what it writes. */
export function openFolderStore(given: string): BackupStore {
  const folder = resolve(given);
  const prepare = async (path: string): Promise<string> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return file;
  };
  return {
    label: folder,
    async write(path, content) {
      const file = await prepare(path);
      const draft = `${file}.part`;
      const part = await digesting(content, (chunks) =>
        pipeline(chunks, createWriteStream(draft, { mode: 0o600, flush: true })),
      );
      await rename(draft, file);
      syncFolder(dirname(file));
      return part;
    },
    read: (path) => openPart(folder, path),
    async listBackups() {
      const names = await readdir(folder).catch(nullIfMissing);
      return (names ?? []).filter(isBackupId);
    },
    removeBackup: (id) => rm(join(folder, id), { recursive: true, force: true }),
    async reuse(earlier, path) {
      const file = await prepare(path);
      try {
        await link(join(folder, earlier), file);
        return true;
      } catch {
        // The file system has no links, or no more for this file.
        return false;
      }
    },
  };
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * A link could name any file of this machine, a device that never ends, or a pipe, which blocks
 * until it has a writer; this opens a pipe without waiting. Windows has neither flag.
 */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

async function openPart(folder: string, path: string): Promise<Readable | null> {
  const found = await realpath(join(folder, path)).catch(nullIfMissing);
  if (found === null) return null;
  const notFile = new DamagedPartError(`${path} of ${folder} is no file`);
  if (found !== join(await realpath(folder), path)) throw notFile;
  const handle = await open(found, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if ((await handle.stat()).isFile()) return handle.createReadStream();
  await handle.close();
  throw notFile;
}

export function openBucketStore(
  settings: S3Settings,
  environment: Readonly<Record<string, string | undefined>>,
): BackupStore {
  const client = createS3Client({ settings, credentials: createCredentialSource(environment) });
  return {
    label: placeOf(settings),
    write: (key, content) => client.put({ key, content: asyncContent(content) }),
    read: (key) => client.get(key),
    async listBackups() {
      const ids = new Set<string>();
      for await (const { key } of client.list('')) ids.add(key.split('/')[0]!);
      return [...ids].filter(isBackupId);
    },
    async removeBackup(id) {
      const below = `${id}/`;
      for await (const upload of client.listUploads(below)) await client.abortUpload(upload);
      for await (const { key } of client.list(below)) await client.remove(key);
    },
    reuse: async () => false,
  };
}

async function* asyncContent(content: Content): AsyncGenerator<Uint8Array> {
  yield* content;
}
