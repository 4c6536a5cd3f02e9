/** Forms in chunks of any size; hostile ones end in an API error, and their files are given up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { isForm, readForm } from './form-body.ts';

const contentType = 'multipart/form-data; boundary=cut';

const part = (headers: string, content: string) => `--cut\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, content: string, type = 'image/png') =>
  part(
    `Content-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: ${type}`,
    content,
  );
const end = '--cut--\r\n';

async function read(
  body: string,
  { chunkBytes = 65_536, type = contentType, acceptsDataUris = true } = {},
) {
  const bytes = Buffer.from(body);
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield bytes.subarray(at, at + chunkBytes);
    }
  };
  const open = new Set<string>();
  const form = readForm(chunks(), {
    contentType: type,
    acceptsDataUris,
    async onFile({ chunks: content, field: name, contentType: declared }) {
      open.add(name);
      try {
        const received = Buffer.concat(await Array.fromAsync(content));
        return `${declared} of ${received.length} bytes`;
      } finally {
        open.delete(name);
      }
    },
  });
  // Also after a failure, no file is still being received.
  return await form.finally(() => assert.equal(open.size, 0));
}

describe('a form', () => {
  const body =
    field('model', 'm') +
    field('input[prompt]', 'Zürich') +
    file('image', 'x'.repeat(200_000)) +
    field('tag', 'a') +
    field('tag', 'b') +
    file('tag', 'yy', 'audio/mpeg') +
    field('__proto__', 'p');
  for (const chunkBytes of [1_000_000, 65_536, 1000, 7]) {
    test(`is an object of its fields, in chunks of ${chunkBytes} bytes`, async () => {
      const fields = await read(body + end, { chunkBytes });
      assert.deepEqual(Object.entries(fields), [
        ['model', 'm'],
        ['input[prompt]', 'Zürich'],
        ['image', 'image/png of 200000 bytes'],
        ['tag', ['a', 'b', 'audio/mpeg of 2 bytes']],
        ['__proto__', 'p'],
      ]);
    });
  }

  const data = Buffer.from('x'.repeat(200_000)).toString('base64');
  for (const chunkBytes of [1_000_000, 1000, 7]) {
    test(`may have data URIs in its text, in chunks of ${chunkBytes} bytes`, async () => {
      const fields = await read(
        field('image', `data:image/png;base64,${data}`) +
          field('image[url]', `data:video/mp4;codecs=avc1;base64,${data.slice(0, 4)}\r\neHg=`) +
          field('url', 'data:image/png,plain') +
          field('unknown', `data:${'x'.repeat(400)};base64,eHg=`) +
          field('prompt', 'data:image/png;base64,eHg=') +
          field('metadata[note]', 'data:image/png;base64,eHg=') +
          field('empty', '') +
          field('city', 'Zürich') +
          end,
        { chunkBytes },
      );
      assert.deepEqual(Object.entries(fields), [
        ['image', 'image/png of 200000 bytes'],
        ['image[url]', 'video/mp4;codecs=avc1 of 5 bytes'],
        ['url', 'data:image/png,plain'],
        ['unknown', `data:${'x'.repeat(400)};base64,eHg=`],
        ['prompt', 'data:image/png;base64,eHg='],
        ['metadata[note]', 'data:image/png;base64,eHg='],
        ['empty', ''],
        ['city', 'Zürich'],
      ]);
    });
  }

  test('keeps data URIs as text where they are not accepted', async () => {
    const text = 'data:image/png;base64,eHg=';
    const fields = await read(field('file', text) + end, { acceptsDataUris: false });
    assert.deepEqual({ ...fields }, { file: text });
  });

  const files = [150_000, 97_000, 16_000].map((bytes) => file('a', 'b'.repeat(bytes))).join('');
  for (const [what, hostile, type] of [
    ['cut in a file', body.slice(0, 100_000)],
    ['cut in a field', field('a', 'b').slice(0, -5)],
    ['cut before the end', body],
    ['cut in a header', '--cut\r\nContent-Disposi'],
    ['with a part whose headers do not end', `--cut\r\nabc\r\n${end}`],
    ['with such a part behind a file', `${file('a', 'b'.repeat(1000))}--cut\r\nabc\r\n${end}`],
    ['with such a part between files', `${files}--cut\r\n${'b'.repeat(88_000)}\r\n${files}${end}`],
    ['empty', ''],
    ['without any boundary', 'x'.repeat(300_000)],
    ['without a boundary in its type', body + end, 'multipart/form-data'],
    ['with a boundary that is too long', body + end, `${contentType}${'x'.repeat(300)}`],
    ['of 10,000 fields', field('a', 'b').repeat(10_000) + end],
    ['of 10,000 files', file('a', 'b').repeat(10_000) + end],
    ['of 10,000 parts without a name', `${part('X: y', 'b').repeat(10_000)}${end}`],
    ['with a field of 2 MiB', field('a', 'b'.repeat(2 * 1024 ** 2)) + end],
    ['with fields of 2 MiB together', field('a', 'b'.repeat(40_000)).repeat(50) + end],
    ['with a data URI that is not base64', field('a', 'data:image/png;base64,e%g=') + end],
    ['cut in a data URI', field('a', `data:image/png;base64,${data}`).slice(0, 100_000)],
    ['of 10,000 data URIs', field('a', 'data:image/png;base64,eHg=').repeat(10_000) + end],
    ['with a name of 3 KB', field('a'.repeat(3000), 'b') + end],
    ['with a file without a name', part('Content-Disposition: form-data; filename="x"', 'b') + end],
  ] as const) {
    test(`${what} is rejected`, async () => {
      for (const chunkBytes of [1e6, 65_536, 997]) {
        await assert.rejects(read(hostile, { chunkBytes, ...(type ? { type } : {}) }), ApiError);
      }
    });
  }

  test('has headers of bounded size', async () => {
    const more = `${'X-Y: z\r\n'.repeat(50_000)}Z: ${'z'.repeat(1_000_000)}`;
    const huge = part(`Content-Disposition: form-data; name="a"\r\n${more}`, 'b');
    assert.deepEqual({ ...(await read(huge + end)) }, { a: 'b' });
  });

  test('ends when a file is rejected while others wait', async () => {
    const chunks = async function* () {
      yield Buffer.from(file('a', 'x'.repeat(1000)));
      for (;;) yield Buffer.from(file('b', 'x'.repeat(60_000)));
    };
    const rejection = new ApiError('invalid_request', 'not this file');
    const form = readForm(chunks(), {
      contentType,
      async onFile({ field: name, chunks: content }) {
        if (name === 'a') throw rejection;
        return (await Array.fromAsync(content)).length;
      },
    });
    await assert.rejects(form, rejection);
  });
});

test('only multipart/form-data is a form', () => {
  assert.equal(isForm(contentType), true);
  assert.equal(isForm('Multipart/Form-Data;boundary=x'), true);
  for (const type of [undefined, '', 'multipart/mixed; boundary=x', 'multipart/form-datax']) {
    assert.equal(isForm(type), false);
  }
});
