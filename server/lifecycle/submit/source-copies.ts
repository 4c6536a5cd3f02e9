/**
 * The copies of videos that an edit was priced by, made in `pin-sources.ts`. A copy is kept while
 * its task is unfinished; the sweep deletes one that a crash left behind.
 */
import type { Queryable } from '../../database/database.ts';
import type { KeyedSemaphore } from '../../egress/keyed-semaphore.ts';
import type { Materials } from '../../materials/materials.ts';
import type { VideoLengths } from '../../providers/posters/video-lengths.ts';
import type { Storage } from '../../storage/storage.ts';
import { findUnfinishedEdits } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import type { Log } from '../../telemetry/log.ts';

type CopyName = { readonly accountId: string; readonly name: string };
type Copy = CopyName & { readonly expiresAtSeconds: number };

export type SourceCopies = Pick<Materials, 'measureVideo'> & {
  /** As FFmpeg shows the file. */
  readonly measureShown: VideoLengths['measure'];
  /** Per copy. */
  readonly bytesMax: number;
  /** Bounds how many sources of an account are downloaded at once. */
  readonly slots: KeyedSemaphore;
  find(copy: Copy): Promise<{ readonly url: string } | null>;
  save(copy: Copy & { readonly file: string }): Promise<{ readonly url: string }>;
  keyOf(copy: CopyName): string;
  /** Of all copies for an account. */
  bytesOf(accountId: string): Promise<number>;
};

/** Per account and process. */
export const sourceDownloadsMax = 4;
const accountBytesMax = 2 * 1024 ** 3;

/** Whether an account may have one more copy now. One copy is always allowed. */
export async function hasCopyQuota(sources: SourceCopies, accountId: string): Promise<boolean> {
  const bytes = await sources.bytesOf(accountId);
  return bytes === 0 || bytes + sources.bytesMax <= accountBytesMax;
}

type Edit = Pick<Task, 'id' | 'accountId'>;

export const copyNameOf = ({ id, accountId }: Edit, index: number): CopyName => ({
  accountId,
  name: `${id} video ${index}`,
});

const copyKeysOf = (sources: SourceCopies, edit: Edit, count: number): string[] =>
  Array.from({ length: count }, (_, index) => sources.keyOf(copyNameOf(edit, index)));

/** The keys that unfinished tasks may still use. */
export async function findUsedCopies(db: Queryable, sources: SourceCopies): Promise<Set<string>> {
  const edits = await findUnfinishedEdits(db);
  return new Set(edits.flatMap((edit) => copyKeysOf(sources, edit, edit.videos)));
}

/** Never fails: what cannot be deleted now is swept later. */
export async function deleteCopies(
  { sources, storage, log }: { sources: SourceCopies; storage: Storage; log: Log },
  task: Task,
): Promise<void> {
  if (task.pricedSeconds === null) return;
  try {
    await storage.remove(copyKeysOf(sources, task, task.generation.videoUrls.length));
  } catch (error) {
    log.warn({ taskId: task.id, error }, 'source copies not deleted');
  }
}
