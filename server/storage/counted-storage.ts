/** Counts what a process does with its store: bytes and errors by operation, for the metrics. */
import type { Storage, StoredFile } from './storage.ts';
import { StorageError } from './storage-error.ts';

type Operation = 'put' | 'open' | 'read' | 'remove' | 'list';

export type StorageCounts = {
  /** Stored, and asked for to be read. */
  readonly bytes: Record<'put' | 'read', number>;
  /** By operation and kind; `other` are errors that are not the store's. */
  errors(): { readonly operation: Operation; readonly kind: string; readonly count: number }[];
};

export function countStorage(storage: Storage): { storage: Storage; counts: StorageCounts } {
  const bytes = { put: 0, read: 0 };
  const errors = new Map<string, number>();
  const countError = (operation: Operation, error: unknown) => {
    const name = `${operation} ${error instanceof StorageError ? error.kind : 'other'}`;
    errors.set(name, (errors.get(name) ?? 0) + 1);
  };
  const counted = async <T>(operation: Operation, work: Promise<T>): Promise<T> =>
    await work.catch((error) => {
      countError(operation, error);
      throw error;
    });
  const countReads = (file: StoredFile): StoredFile => ({
    ...file,
    read(range) {
      bytes.read += range ? range.end - range.start + 1 : file.bytesTotal;
      return file.read(range).once('error', (error) => countError('read', error));
    },
  });
  const countedStorage: Storage = {
    ...storage,
    async put(content) {
      const stored = await counted('put', storage.put(content));
      bytes.put += stored.bytes;
      return stored;
    },
    async open(key) {
      const file = await counted('open', storage.open(key));
      return file && countReads(file);
    },
    remove: (keys) => counted('remove', storage.remove(keys)),
    async *list(prefix) {
      try {
        yield* storage.list(prefix);
      } catch (error) {
        countError('list', error);
        throw error;
      }
    },
  };
  const counts: StorageCounts = {
    bytes,
    errors: () =>
      [...errors].map(([name, count]) => {
        const [operation, kind] = name.split(' ') as [Operation, string];
        return { operation, kind, count };
      }),
  };
  return { storage: countedStorage, counts };
}
