/**
 * Draws hostile uploads as the bytes of a request, in pieces, and how its connection ends. Broken
 * forms and data URIs are tables in `api/files/form-body.test.ts` and `data-uris.test.ts`.
 */
import fc from 'fast-check';

export type HostileUpload = {
  readonly what: string;
  readonly pieces: (key: string) => Iterable<string | Buffer>;
  /** `cut`: the connection is reset. `half`: only the client's side ends. */
  readonly ending: 'cut' | 'half';
};

type Target = 'raw' | 'form' | 'data' | 'estimate';

const paths: Readonly<Record<Target, string>> = {
  raw: '/v1/files',
  form: '/v1/files',
  data: '/v1/videos/generations',
  estimate: '/v1/videos/generations/estimate',
};

const boundary = 'hostile-boundary';

const types: Readonly<Record<Target, string>> = {
  raw: 'image/jpeg',
  form: `multipart/form-data; boundary=${boundary}`,
  data: 'application/json',
  estimate: 'application/json',
};

const disposition = 'Content-Disposition: form-data; name="file"; filename="x.jpg"';
const fileHead = `--${boundary}\r\n${disposition}\r\n\r\n`;
const formEnd = `\r\n--${boundary}--\r\n`;

/** A body of the target that holds the content as its file. */
function bodyOf(target: Target, content: Buffer): Buffer {
  if (target === 'raw') return content;
  if (target === 'form') {
    return Buffer.concat([Buffer.from(fileHead), content, Buffer.from(formEnd)]);
  }
  const input = {
    prompt: 'x',
    generation_type: 'image-to-video',
    image_urls: [`data:image/jpeg;base64,${content.toString('base64')}`],
  };
  return Buffer.from(JSON.stringify({ model: 'vidgen-2-0-mini', input }));
}

/** The request in pieces of this size. */
function requestOf(
  target: Target,
  body: Buffer | string,
  { length, pieceBytes = 16_384 }: { length: string; pieceBytes?: number },
): HostileUpload['pieces'] {
  const bytes = Buffer.from(body);
  return function* (key) {
    yield `POST ${paths[target]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: ${types[target]}\r\n${length}\r\n\r\n`;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  };
}

const chunkOf = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const anyTarget = fc.constantFrom<Target>('raw', 'form', 'data', 'estimate');

export function hostileUpload(image: Buffer): fc.Arbitrary<HostileUpload> {
  return fc.oneof(cutUpload(image), wrongLength(image), slowUpload(image));
}

/** Ends at any byte of a body that would be accepted. */
const cutUpload = (image: Buffer): fc.Arbitrary<HostileUpload> =>
  fc
    .record({
      target: anyTarget,
      part: fc.double({ min: 0, max: 0.999, noNaN: true }),
      isReset: fc.boolean(),
      padding: fc.nat({ max: 200_000 }),
    })
    .map(({ target, part, isReset, padding }) => {
      const body = bodyOf(target, Buffer.concat([image, Buffer.alloc(padding)]));
      const kept = body.subarray(0, Math.floor(body.length * part));
      const length = `Content-Length: ${body.length}`;
      const pieces = requestOf(target, kept, { length });
      return { what: `cut ${target}`, pieces, ending: isReset ? 'cut' : 'half' };
    });

/** Lengths that are not those of the body. */
const wrongLength = (image: Buffer): fc.Arbitrary<HostileUpload> =>
  fc
    .record({
      target: anyTarget,
      kind: fc.constantFrom('huge', 'short', 'chunk', 'zeros', 'no end'),
    })
    .map(({ target, kind }) => {
      const body = bodyOf(target, image);
      const chunked = 'Transfer-Encoding: chunked';
      const what = `${kind} length, ${target}`;
      if (kind === 'huge') {
        const length = 'Content-Length: 99999999999';
        return { what, pieces: requestOf(target, body, { length }), ending: 'half' };
      }
      if (kind === 'short') {
        const length = `Content-Length: ${Math.floor(body.length / 2)}`;
        const cut = Buffer.concat([
          body.subarray(0, body.length - 20),
          Buffer.from('x'.repeat(20)),
        ]);
        // What follows is not a request. A raw image may be complete without its second half.
        const pieces = requestOf(target === 'raw' ? 'form' : target, cut, { length });
        return { what, pieces, ending: 'half' };
      }
      const chunks = {
        chunk: Buffer.concat([Buffer.from('ffffff\r\n'), body]),
        zeros: Buffer.from(`${'0'.repeat(700_000)}1\r\nx`),
        'no end': chunkOf(body),
      }[kind];
      return { what, pieces: requestOf(target, chunks, { length: chunked }), ending: 'half' };
    });

/** Many small pieces, then a reset. */
const slowUpload = (image: Buffer): fc.Arbitrary<HostileUpload> =>
  fc
    .record({ target: anyTarget, pieceBytes: fc.integer({ min: 1, max: 40 }) })
    .map(({ target, pieceBytes }) => {
      const body = bodyOf(target, image);
      const length = `Content-Length: ${body.length + 100_000}`;
      return {
        what: `slow ${target}`,
        pieces: requestOf(target, body, { length, pieceBytes }),
        ending: 'cut',
      };
    });
