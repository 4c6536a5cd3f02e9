/**
 * A file on its way to the process that measures it: a line of JSON, then the bytes of its pieces.
 */
import type { DurationInput, Piece } from './media-duration.ts';

type Heading = Omit<DurationInput, 'pieces'> & {
  readonly pieces: readonly { readonly start: number; readonly length: number }[];
};

export function* encodeRequest({ pieces, ...file }: DurationInput): Generator<Uint8Array> {
  const sizes = pieces.map(({ start, bytes }) => ({ start, length: bytes.length }));
  yield Buffer.from(`${JSON.stringify({ ...file, pieces: sizes } satisfies Heading)}\n`);
  for (const { bytes } of pieces) yield bytes;
}

/** In the order in which they were sent. */
export async function* decodeRequests(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<DurationInput, void> {
  const chunks = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<Buffer | null> => (await chunks.next()).value ?? null;
  for (;;) {
    let end = rest.indexOf('\n');
    while (end < 0) {
      const chunk = await more();
      if (!chunk) return;
      rest = Buffer.concat([rest, chunk]);
      end = rest.indexOf('\n');
    }
    const { pieces: sizes, ...file } = JSON.parse(rest.toString('utf8', 0, end)) as Heading;
    rest = rest.subarray(end + 1);
    const pieces: Piece[] = [];
    for (const { start, length } of sizes) {
      const parts: Buffer[] = [rest];
      for (let bytes = rest.length; bytes < length; bytes += parts.at(-1)!.length) {
        const chunk = await more();
        if (!chunk) return;
        parts.push(chunk);
      }
      const bytes = parts.length === 1 ? rest : Buffer.concat(parts);
      pieces.push({ start, bytes: bytes.subarray(0, length) });
      rest = bytes.subarray(length);
    }
    yield { ...file, pieces };
  }
}
