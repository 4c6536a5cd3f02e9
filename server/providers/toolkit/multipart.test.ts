/** A form arrives as it was filled in, whatever the names are. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createForm, type Form } from './multipart.ts';

const folder = await mkdtemp(join(tmpdir(), 'vidgen-form-'));
after(() => rm(folder, { recursive: true, force: true }));

/** Parses with an independent implementation. */
async function readBack(form: Form): Promise<FormData> {
  const body = Buffer.concat(await form.open().toArray());
  assert.equal(body.length, form.bytes);
  return await new Response(body, { headers: { 'content-type': form.contentType } }).formData();
}

test('fields and files are read back unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
  const file = join(folder, 'image');
  await writeFile(file, bytes);
  const empty = join(folder, 'empty');
  await writeFile(empty, '');
  const form = await createForm([
    { name: 'prompt', value: 'A "quoted" line\r\nand another — 雪' },
    { name: 'image', file, fileName: 'a.png', contentType: 'image/png' },
    { name: 'nothing', file: empty, fileName: 'empty.bin', contentType: 'text/plain' },
  ]);
  const read = await readBack(form);
  assert.equal(read.get('prompt'), 'A "quoted" line\r\nand another — 雪');
  const image = read.get('image') as File;
  assert.deepEqual([image.name, image.type, image.size], ['a.png', 'image/png', 70_000]);
  assert.ok(Buffer.from(await image.arrayBuffer()).equals(bytes));
  assert.equal((read.get('nothing') as File).size, 0);
});

test('no name can end its line and add a header', async () => {
  const file = join(folder, 'plain');
  await writeFile(file, 'x');
  const fileName = 'a"\r\ncontent-type: text/html\r\n\r\nb';
  const form = await createForm([
    { name: 'file', file, fileName, contentType: 'image/png\r\nx: y' },
  ]);
  const text = Buffer.concat(await form.open().toArray()).toString();
  assert.equal(text.match(/content-type/gi)?.length, 2, text);
  assert.ok(!text.includes('\r\nx: y'), text);
});
