/**
 * The command line is handed out to anyone, and asks the service that handed it out.
 * One engine: the subject is a file.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { getCommandLine } from './command-line.ts';
import type { Asked, Service } from './service.ts';

async function handedOut(publicUrl: string): Promise<{ text: string; headers: object }> {
  const service = { publicUrl: () => publicUrl } as Service;
  const { text, headers } = await getCommandLine(service, {} as Asked);
  return { text: text!, headers: headers! };
}

test('it is the program as it is, with the address of this installation in it', async () => {
  const written = await readFile(new URL('../../cli/vidgen.mjs', import.meta.url), 'utf8');
  const { text, headers } = await handedOut('https://videos.example.com/made');
  assert.deepEqual(text.split('\n').length, written.split('\n').length);
  assert(text.includes('const defaultUrl = "https://videos.example.com/made";\n'));
  assert.equal(
    text.replace('"https://videos.example.com/made"', "'http://127.0.0.1:8787'"),
    written,
  );
  assert.deepEqual(Object.entries(headers)[0], ['content-type', 'text/javascript; charset=utf-8']);
});

test('whatever stands in the address is text in the program', async () => {
  for (const address of ["https://a.example/it's", 'https://a.example/$&$1', 'http://a/"+x+"']) {
    const { text } = await handedOut(address);
    assert(text.includes(`const defaultUrl = ${JSON.stringify(address)};\n`), address);
  }
});
