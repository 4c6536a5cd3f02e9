/** Why a store could not do what was asked, in the words of an operator who has to fix it. */

/**
 * `exists`: a conditional put found another file. `damaged`: the content is not what was announced.
 * `failed`: anything else that the store reports.
 */
export type StorageErrorKind =
  | 'not_found'
  | 'not_allowed'
  | 'throttled'
  | 'unreachable'
  | 'full'
  | 'exists'
  | 'damaged'
  | 'failed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  /** The code of the operating system or of the store, such as `ENOSPC` or `SlowDown`. */
  readonly code: string;

  constructor(
    kind: StorageErrorKind,
    { code, message, cause }: { code: string; message: string; cause?: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
  }
}

export const isStorageError = (error: unknown, ...kinds: StorageErrorKind[]): boolean =>
  error instanceof StorageError && (kinds.length === 0 || kinds.includes(error.kind));

/** For a content that is not the announced one. */
export const damagedContent = (key: string): StorageError =>
  new StorageError('damaged', {
    code: 'DigestMismatch',
    message: `${key} was not stored: its content has another SHA-256 than announced; send it again`,
  });
