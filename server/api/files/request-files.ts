/**
 * The files of one request. They are received into temporary files, stored only if the handler
 * asks for it, and deleted when the request ends unless it keeps them: a request that is cut,
 * refused or repeated leaves no file.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, invalidRequest, rateLimited } from '@vidgen/contract/api-error.ts';
import type { AccountRole } from '@vidgen/contract/people.ts';
import { hasRole } from '../../accounts/people/membership.ts';
import { createKeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import { startDeadline } from '../../process/clock.ts';
import type { NewUpload } from '../../storage/uploads.ts';
import type { ApiServices, BodyFiles, Caller } from '../http/handler.ts';
import { WaitingRequests } from '../http/request-deadline.ts';
import { FileError, interrupted, type ReceivedFile, receiveFile } from './receive-file.ts';

/**
 * Requests that receive files at the same time, of a key or person and of an account; the quota is
 * checked before each. A few more of a caller wait.
 */
const callerSlots = createKeyedSemaphore(4);
const accountSlots = createKeyedSemaphore(8);
const waitingMax = 16;
const waitMsMax = 60_000;
const waiting = new WaitingRequests();

/** More than any model takes as materials. */
export const filesPerRequestMax = 64;

export type UploadedFile = ReceivedFile & { readonly upload: NewUpload };

type IncomingFile = {
  readonly chunks: AsyncIterable<Buffer>;
  /** As the client declared it; it decides only between video and audio. */
  readonly contentType: string;
  /** Where the file is in the body, for messages. */
  readonly field?: string;
};

export type NamedFile = IncomingFile & { readonly field: string };

export type RequestFiles = BodyFiles & {
  /** Waits for slots of the caller and the account before the first file is read. */
  receive(file: IncomingFile): Promise<UploadedFile>;
  /** Deletes what the handler did not keep. */
  close(): Promise<void>;
};

type RequestFilesOptions = {
  readonly accountId: string;
  readonly caller: Pick<Caller, 'identity' | 'person' | 'role'>;
  readonly abortSignal: () => AbortSignal;
  readonly onFirstFile?: () => void;
};

export function openRequestFiles(
  { lifecycle: { settings }, uploads, materialBytesMax: sizes }: ApiServices,
  { accountId, caller, abortSignal, onFirstFile }: RequestFilesOptions,
): RequestFiles {
  const received: (UploadedFile & { readonly file: string })[] = [];
  const receiving = new Set<Promise<unknown>>();
  const paths: string[] = [];
  let admission: Promise<void> | undefined;
  const releases: (() => void)[] = [];
  const release = () => {
    for (const releaseSlot of releases.splice(0)) releaseSlot();
  };
  let isStored = false;
  let isKept = false;
  let isClosed = false;

  const admit = async () => {
    if (caller.role && !hasRole(caller.role, 'developer')) throw filesNotAllowed(caller.role);
    onFirstFile?.();
    await acquireSlots(releases, { accountId, caller, signal: abortSignal() });
    await uploads.requireUploadQuota(accountId);
    await mkdir(settings.tempFolder, { recursive: true });
  };
  const receive = async ({ chunks, contentType, field }: IncomingFile) => {
    if (paths.length === filesPerRequestMax) {
      throw invalidRequest(`The body must have at most ${filesPerRequestMax} files.`);
    }
    const file = join(settings.tempFolder, `upload-${randomUUID()}`);
    paths.push(file);
    try {
      admission ??= admit();
      await admission;
      const found = await receiveFile(chunks, { contentType, into: file, sizes });
      const { extension } = found.format;
      const upload = uploads.issue({ accountId, extension, digest: found.digest });
      received.push({ ...found, upload, file });
      return { ...found, upload };
    } catch (error) {
      if (field === undefined || !(error instanceof FileError)) throw error;
      throw invalidRequest(`${field} ${error.rule}`);
    }
  };
  return {
    async receive(incoming) {
      const file = receive(incoming);
      receiving.add(file);
      return await file;
    },
    async store() {
      if (isStored || received.length === 0) return;
      if (isClosed) throw interrupted();
      isStored = true;
      await uploads.save(accountId, received, abortSignal()).catch(async (error) => {
        await uploads.remove(received.map(({ upload }) => upload));
        throw error;
      });
      release();
    },
    keep(kept) {
      // The request has been answered, and its files are gone.
      if (isClosed && kept && received.length > 0) throw interrupted();
      isKept = kept;
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(receiving);
      release();
      for (const path of paths) await rm(path, { force: true });
      if (!isStored || isKept) return;
      await uploads.remove(received.map(({ upload }) => upload));
    },
  };
}

/** Adds the releases one by one, so that a slot is released if the next one is not granted. */
async function acquireSlots(
  releases: (() => void)[],
  {
    accountId,
    caller: { identity, person },
    signal,
  }: Pick<RequestFilesOptions, 'accountId' | 'caller'> & { readonly signal: AbortSignal },
): Promise<void> {
  const name = identity?.keyId ?? person?.id ?? 'admin token';
  using started = waiting.start(name, waitingMax);
  if (!started) throw tooManyUploads();
  using deadline = startDeadline(waitMsMax, [signal]);
  try {
    releases.push(await callerSlots.acquire(name, deadline.signal));
    releases.push(await accountSlots.acquire(accountId, deadline.signal));
  } catch {
    throw deadline.hasPassed ? tooManyUploads() : interrupted();
  }
}

const retrySeconds = 10;
const tooManyUploads = () => rateLimited('Too many files are being received', retrySeconds);

const filesNotAllowed = (role: AccountRole): ApiError =>
  new ApiError(
    'forbidden',
    `Files in the body require the developer role (you are ${role}); use URLs.`,
  );
