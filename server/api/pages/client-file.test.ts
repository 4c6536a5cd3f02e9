/** The command line and the AI SDK provider are public, and call the service they came from. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { aiSdkProvider, commandLine } from './client-files.ts';
import { joinModules } from './join-modules.ts';

const files = [
  { file: 'cli/vidgen.mjs', handler: commandLine.handler, read: joinModules },
  {
    file: 'ai-sdk/vidgen-ai-sdk.mjs',
    handler: aiSdkProvider.handler,
    read: (path: string) => readFile(path, 'utf8'),
  },
];

for (const { file, handler, read } of files) {
  const serve = async (publicUrl: string) => {
    const services = { publicUrl: () => publicUrl } as ApiServices;
    const { text, headers } = await handler(services, {} as ApiRequest);
    return { text: text!, headers: headers! };
  };

  test(`${file} is the file with the URL of this installation`, async () => {
    const written = await read(fileURLToPath(new URL(`../../../${file}`, import.meta.url)));
    const { text, headers } = await serve('https://videos.example.com/made');
    assert.equal(text.split('\n').length, written.split('\n').length);
    assert(text.includes('const defaultUrl = "https://videos.example.com/made";\n'));
    assert.equal(
      text.replace('"https://videos.example.com/made"', "'http://127.0.0.1:8787'"),
      written,
    );
    assert.deepEqual(Object.entries(headers)[0], [
      'content-type',
      'text/javascript; charset=utf-8',
    ]);
  });

  test(`${file}: any URL is a string literal in the program`, async () => {
    for (const url of ["https://a.example/it's", 'https://a.example/$&$1', 'http://a/"+x+"']) {
      const { text } = await serve(url);
      assert(text.includes(`const defaultUrl = ${JSON.stringify(url)};\n`), url);
    }
  });
}
