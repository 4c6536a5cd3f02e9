/** A part of a backup: content that is recognized by its size and digest. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const Digest = z.string().regex(/^[0-9a-f]{64}$/);
export const Part = z.strictObject({ bytes: z.int().min(0), sha256: Digest });
export type Part = z.infer<typeof Part>;

export type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export class DamagedPartError extends Error {
  override readonly name = 'DamagedPartError';
}

export const damageMessage = (path: string): string =>
  `${path} is damaged: it is not what was backed up`;

/** Passes the content on and returns its size and digest. */
export async function digesting(
  content: Content,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<Part> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = async function* () {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  await write(measure());
  return { bytes, sha256: hash.digest('hex') };
}

/** A disk that cannot read what it holds. Other errors, as of a network, may pass. */
const isUnreadable = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EIO';

/** Throws if the content is not that of the part: at its end, or when it is longer. */
export async function* verified(
  content: Content,
  { name, part }: { readonly name: string; readonly part: Part },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > part.bytes) break;
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  if (bytes === part.bytes && hash.digest('hex') === part.sha256) return;
  throw new DamagedPartError(damageMessage(name));
}
