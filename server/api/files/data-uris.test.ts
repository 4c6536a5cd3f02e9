/** Data URIs in JSON, cut into chunks at random places: the same files and text as in one piece. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import fc from 'fast-check';
import { replaceDataUris } from './data-uris.ts';

type Seen = { readonly field: string; readonly contentType: string; readonly content: string };

/** Replaces each data URI by `file:<number>`. `cuts` are positions in the body. */
async function replace(body: string | Buffer, cuts: readonly number[] = []) {
  const bytes = Buffer.from(body);
  const files: Seen[] = [];
  const kept: Buffer[] = [];
  const chunks = async function* () {
    const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
      (one, other) => one - other,
    );
    let at = 0;
    for (const end of ends) {
      // A copy, because chunks are freed when they are used up.
      yield Buffer.from(bytes.subarray(at, end));
      at = end;
    }
  };
  await replaceDataUris(chunks(), {
    keep: (text) => void kept.push(Buffer.from(text)),
    async onFile({ chunks: content, contentType, field }) {
      const pieces = await Array.fromAsync(content);
      files.push({ field, contentType, content: Buffer.concat(pieces).toString('latin1') });
      return `file:${files.length}`;
    },
  });
  return { text: Buffer.concat(kept).toString(), files };
}

const dataUri = (content: string | Uint8Array, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(content as string, 'latin1').toString('base64')}`;

describe('a data URI', () => {
  test('becomes a file wherever the body has a URL, and is named by its path', async () => {
    const body = {
      model: 'm',
      input: { image_urls: [dataUri('one'), 'https://a.example/b.png', dataUri('two')] },
      content: [{ image_url: { url: dataUri('three', 'audio/mp4') } }],
    };
    const { text, files } = await replace(JSON.stringify(body, null, 2));
    assert.deepEqual(files, [
      { field: 'input.image_urls[0]', contentType: 'image/png', content: 'one' },
      { field: 'input.image_urls[2]', contentType: 'image/png', content: 'two' },
      { field: 'content[0].image_url.url', contentType: 'audio/mp4', content: 'three' },
    ]);
    assert.deepEqual(JSON.parse(text), {
      model: 'm',
      input: { image_urls: ['file:1', 'https://a.example/b.png', 'file:2'] },
      content: [{ image_url: { url: 'file:3' } }],
    });
  });

  test('is the same file however the body is cut, padded and escaped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom('plain', 'slashes', 'codes', 'unpadded'),
        async (contents, cuts, style) => {
          const list = contents.map((bytes) => dataUri(bytes));
          let body = JSON.stringify({ 'a "name"\\': ['"data:\\', ...list], n: [1, { x: null }] });
          if (style === 'slashes') body = body.replaceAll('/', '\\/');
          if (style === 'codes') body = body.replaceAll('+', '\\u002B');
          if (style === 'unpadded') body = body.replaceAll('=', '');
          const { text, files } = await replace(body, cuts);
          assert.deepEqual(
            files.map(({ content }) => content),
            contents.map((bytes) => Buffer.from(bytes).toString('latin1')),
          );
          assert.deepEqual(JSON.parse(text), {
            'a "name"\\': ['"data:\\', ...contents.map((_, at) => `file:${at + 1}`)],
            n: [1, { x: null }],
          });
        },
      ),
    );
  });

  test('may contain escaped line breaks', async () => {
    const wrapped = dataUri('a longer text').replace(/(.{30})/g, '$1\n');
    const { files } = await replace(JSON.stringify([wrapped.replace('data\n', 'data')]));
    assert.equal(files[0]?.content, 'a longer text');
  });

  for (const [what, content] of [
    ['another character', 'AAAA*AAA'],
    ['one character too many', 'AAAAA'],
    ['padding in the middle', 'AA==AAAA'],
    ['too much padding', 'AAAA===='],
    ['a quote', 'AAAA\\"AAA'],
    ['another escape', 'AAAA\\bAAA'],
    ['percent encoding', 'AAAA%2BAA'],
    ['a letter beyond ASCII', 'AAAAéAAA'],
  ] as const) {
    test(`with ${what} is rejected`, async () => {
      for (const cuts of [[], [30], [28, 29, 30, 31, 32]]) {
        await assert.rejects(replace(`["data:image/png;base64,${content}"]`, cuts), ApiError);
      }
    });
  }

  test('that is cut off is rejected', async () => {
    await assert.rejects(replace('["data:image/png;base64,AAAA'), ApiError);
  });

  test('stays as it is if it is not base64, a name, a prompt or metadata', async () => {
    const uri = dataUri('x');
    for (const body of [
      { image_urls: ['data:image/png,%89PNG', 'data:', 'data:;base64'] },
      { [uri]: 1 },
      { input: { prompt: uri }, content: [{ text: uri }] },
      { metadata: { a: uri, b: [{ c: uri }] } },
    ]) {
      const json = JSON.stringify(body);
      for (const cuts of [[], [3, 9, 15, 20, 40]]) {
        assert.deepEqual(await replace(json, cuts), { text: json, files: [] });
      }
    }
  });
});

test('other text is passed on unchanged, even if it is not JSON', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'data', 'é', ' ', '1')),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (tokens, cuts) => {
        const body = tokens.join('');
        assert.deepEqual(await replace(body, cuts), { text: body, files: [] });
      },
    ),
  );
});

test('a value below many levels is not looked at', async () => {
  const deep = `${'['.repeat(100_000)}"${dataUri('x')}"${']'.repeat(100_000)}`;
  assert.deepEqual(await replace(deep), { text: deep, files: [] });
});
