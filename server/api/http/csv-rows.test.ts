/** Rows are the same however they arrive, and no quote hides the rows after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRows } from './csv-rows.ts';

async function rowsOf(text: string, chunkBytes: number): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const rows = await Array.fromAsync(csvRows(chunks()));
  return rows.map(({ line, fields }) => [line, ...fields]);
}

const files: readonly (readonly [text: string, ...rows: unknown[]])[] = [
  [
    '\ufeff"id";"a,b"\r\nx;"1;\n""2"""\r\n\r\ny;2',
    [1, 'id', 'a,b'],
    [2, 'x', '1;\n"2"'],
    [4, 'y', '2'],
  ],
  [
    'id\tusd\n\u00fc\t5" disk\nb\t6" disk\n',
    [1, 'id', 'usd'],
    [2, '\u00fc', '5" disk'],
    [3, 'b', '6" disk'],
  ],
  ['\n \nid,usd\n,\n"a"b,\n', [3, 'id', 'usd'], [5, 'ab', '']],
  [''],
];

for (const [text, ...rows] of files) {
  test(JSON.stringify(text), async () => {
    for (const chunkBytes of [1, 2, 3, 1000])
      assert.deepEqual(await rowsOf(text, chunkBytes), rows);
  });
}

test('a quote that is not closed is an error', async () => {
  await assert.rejects(rowsOf('id,usd\n"a,1\n', 4), /^ApiError: Line 2 of the file has a quote/);
  await assert.rejects(rowsOf(`id\n"${'x'.repeat(200_000)}`, 65_536), /Line 2 .* more than 100000/);
});
