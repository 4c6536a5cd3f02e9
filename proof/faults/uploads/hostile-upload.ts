/** Draws hostile uploads as the bytes of a request, in pieces, and how its connection ends. */
import fc from 'fast-check';

export type HostileUpload = {
  readonly what: string;
  readonly pieces: (key: string) => Iterable<string | Buffer>;
  /** `cut`: the connection is reset. `half`: only the client's side ends. */
  readonly ending: 'cut' | 'half' | 'open';
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

const partHead = (name: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const fileHead = partHead('file', '; filename="x.jpg"');
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
  {
    length,
    type,
    pieceBytes = 16_384,
  }: { length?: string; type?: string; pieceBytes?: number } = {},
): HostileUpload['pieces'] {
  const bytes = Buffer.from(body);
  const framing = length ?? `Content-Length: ${bytes.length}`;
  return function* (key) {
    yield `POST ${paths[target]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: ${type ?? types[target]}\r\n${framing}\r\n\r\n`;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  };
}

const chunkOf = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const anyTarget = fc.constantFrom<Target>('raw', 'form', 'data', 'estimate');

export function hostileUpload(image: Buffer): fc.Arbitrary<HostileUpload> {
  return fc.oneof(
    cutUpload(image),
    wrongLength(image),
    wrongFile(image),
    slowUpload(image),
    brokenForm(image),
    brokenData(),
  );
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

const page = Buffer.from('<!doctype html><script>alert(1)</script>');

/** Files of other kinds, empty ones, and ones above the limit of 1 MiB. */
const wrongFile = (image: Buffer): fc.Arbitrary<HostileUpload> =>
  fc
    .record({
      target: anyTarget,
      content: fc.constantFrom(
        page,
        Buffer.alloc(0),
        Buffer.alloc(3000, 7),
        Buffer.from('PK\x03\x04', 'latin1'),
        Buffer.concat([image, Buffer.alloc(1_100_000)]),
      ),
    })
    .map(({ target, content }) => ({
      what: `wrong file, ${target}`,
      pieces: requestOf(target, bodyOf(target, content)),
      ending: 'open',
    }));

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

const brokenForm = (image: Buffer): fc.Arbitrary<HostileUpload> => {
  const file = `${fileHead}${image.toString('latin1')}`;
  const forms: Readonly<Record<string, readonly [body: string, type?: string]>> = {
    'another boundary': [`${file}${formEnd}`, 'multipart/form-data; boundary=another'],
    'no boundary': [`${file}${formEnd}`, 'multipart/form-data'],
    'an empty boundary': [`${file}${formEnd}`, 'multipart/form-data; boundary='],
    'a long boundary': [`${file}${formEnd}`, `multipart/form-data; boundary=${'b'.repeat(400)}`],
    'no end': [file],
    'a boundary that almost ends': [`${file}\r\n--${boundary}-`],
    'two files': [`${file}\r\n${file}${formEnd}`],
    '10,000 parts': [`${`${partHead('a')}b\r\n`.repeat(10_000)}${file}${formEnd}`],
    '10,000 files': [`${fileHead}x\r\n`.repeat(10_000)],
    'huge part headers': [
      `--${boundary}\r\n${`X-${'y'.repeat(1000)}: z\r\n`.repeat(600)}\r\nx${formEnd}`,
    ],
    'a header without an end': [`--${boundary}\r\nContent-Disposition: ${'x'.repeat(600_000)}`],
    'a form in a form': [
      `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n` +
        `Content-Type: multipart/mixed; boundary=inner\r\n\r\n--inner\r\n\r\nx\r\n--inner--${formEnd}`,
    ],
    'a long field': [`${partHead('a')}${'b'.repeat(1_200_000)}\r\n${file}${formEnd}`],
    'no names': [
      `--${boundary}\r\nContent-Disposition: form-data; filename="x"\r\n\r\nx${formEnd}`,
    ],
    'only line breaks': ['\r\n'.repeat(100_000)],
    'a name that ends in a line break': [`${partHead('file\r\n')}x${formEnd}`],
  };
  return fc.constantFrom(...Object.entries(forms)).map(([what, [body, type]]) => ({
    what: `a form with ${what}`,
    pieces: requestOf('form', Buffer.from(body, 'latin1'), type === undefined ? {} : { type }),
    ending: 'open',
  }));
};

const brokenData = (): fc.Arbitrary<HostileUpload> => {
  const head =
    '{"model":"vidgen-2-0-mini","input":{"prompt":"x","image_urls":["data:image/png;base64,';
  const tiny = '"data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ=="';
  const bodies: Readonly<Record<string, string>> = {
    'other characters': `${head}${'*'.repeat(50_000)}"]}}`,
    'only escapes': `${head}${'\\u0041'.repeat(100_000)}"]}}`,
    'only line breaks': `${head}${'\\n'.repeat(300_000)}"]}}`,
    'padding in the middle': `${head}${'AA=='.repeat(50_000)}"]}}`,
    'no closing quote': `${head}${'A'.repeat(600_000)}`,
    'a thousand files': `{"model":"x","input":{"image_urls":[${Array(1000).fill(tiny).join(',')}]}}`,
    'a thousand levels': `${'[{"a":'.repeat(1000)}${tiny}${'}]'.repeat(1000)}`,
    'too much text': `{"a":${tiny},"b":"${'x'.repeat(1_100_000)}"}`,
    'empty strings': `[${tiny}${',""'.repeat(340_000)}]`,
  };
  return fc
    .record({
      entry: fc.constantFrom(...Object.entries(bodies)),
      target: fc.constantFrom<Target>('data', 'estimate'),
      pieceBytes: fc.constantFrom(16_384, 60_000, 999),
    })
    .map(({ entry: [what, body], target, pieceBytes }) => ({
      what: `a data URI with ${what}, ${target}`,
      pieces: requestOf(target, body, { pieceBytes }),
      ending: 'open',
    }));
};
