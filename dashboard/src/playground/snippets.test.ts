/** Thorough: runs the snippets in their languages. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { CreateGenerationRequest } from '@vidgen/contract/create-generation.ts';
import { emptyForm, type GenerationForm } from './generation-form.ts';
import { requestOf } from './generation-request.ts';
import { type SnippetName, snippetsOf } from './snippets.ts';
import { modelNamed } from './testing/forms.ts';

const run = promisify(execFile);
const serviceUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const video = () => `${serviceUrl()}/video.mp4`;
const received: { authorization: string | undefined; body: unknown }[] = [];

/** A fake service: accepts a create request, and returns a completed task. */
const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  const isCreate = request.method === 'POST' && request.url === '/v1/videos/generations';
  if (isCreate) {
    received.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
  }
  const task = { status: 'completed', data: { results: [video()] } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(isCreate ? { taskId: 'task_01', credits: 40 } : task));
});
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => server.close());

const has = (command: string): boolean =>
  spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

const env = { ...process.env, VIDGEN_KEY: 'vg_test_1' };

/** Runs each snippet as a real program, without the delay between polls. */
const programs: Readonly<Record<SnippetName, (code: string) => Promise<string>>> = {
  cURL: async (code) => (await run('sh', ['-c', code], { env })).stdout,
  TypeScript: async (code) => {
    const program = code.replace('10_000', '0');
    const flags = ['--input-type=module-typescript', '--eval', program];
    return (await run(process.execPath, flags, { env })).stdout;
  },
  Python: async (code) => {
    const program = code.replace('time.sleep(10)', 'time.sleep(0)');
    return (await run('python3', ['-c', program], { env })).stdout;
  },
};

const hostilePrompts = [
  'A paper boat',
  `It's "quoted" and 'single' and \`ticked\``,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would expand it
  '$HOME $(id) `id` ${1} \\n \\\\ \\u0041 %s !! #{x} {y}',
  'two\nlines\r\n\tand a tab\u0007\u007f\u0085\u2028\u2029',
  'Größe 日本語 🎬 👩‍👩‍👧 \u202e mirrored',
  `</script><img src=x onerror="alert('1')">`,
  `'''"""'''; import os # -- /* */ @file`,
];

async function assertArrives(name: SnippetName, form: Partial<GenerationForm>): Promise<string> {
  const model = modelNamed('vidgen-2-0');
  const request: CreateGenerationRequest = requestOf({ ...emptyForm(model), ...form }, model);
  const snippets = snippetsOf(request, { serviceUrl: serviceUrl() });
  const { code } = snippets.find((snippet) => snippet.name === name)!;
  received.length = 0;
  const output = await programs[name](code);
  assert.deepEqual(received, [{ authorization: 'Bearer vg_test_1', body: request }]);
  return output;
}

const commands: Readonly<Record<SnippetName, string>> = {
  cURL: 'curl',
  TypeScript: process.execPath,
  Python: 'python3',
};

const expectedOutput: Readonly<Record<SnippetName, RegExp>> = {
  cURL: /"taskId":"task_01"/,
  TypeScript: /^http:\S+\/video\.mp4\n$/,
  Python: /^http:\S+\/video\.mp4\n$/,
};

for (const [name, command] of Object.entries(commands) as [SnippetName, string][]) {
  const skip = !has(command) && `there is no ${command} here`;

  test(`${name}: sends any prompt unchanged`, { skip }, async () => {
    for (const prompt of hostilePrompts) await assertArrives(name, { prompt });
  });

  test(`${name}: sends every field and reads the response`, { skip }, async () => {
    const output = await assertArrives(name, {
      prompt: hostilePrompts.join('\n'),
      type: 'reference-to-video',
      images: ["https://example.com/a'b.png?x=1&y=$2", 'https://example.com/c.png'],
      videos: ['https://example.com/d.mp4'],
      audios: ['https://example.com/e.mp3'],
      generateAudio: false,
      watermark: true,
      webSearch: true,
      returnLastFrame: true,
      seed: 4_294_967_295,
      callbackUrl: 'https://example.com/hook?a=b&c=d',
    });
    assert.match(output, expectedOutput[name]);
  });
}

test('never puts a key into a snippet', () => {
  const model = modelNamed('vidgen-2-5');
  for (const { code } of snippetsOf(requestOf(emptyForm(model), model), {
    serviceUrl: 'https://videos.example.com',
  })) {
    assert.match(code, /VIDGEN_KEY/);
    assert.match(code, /https:\/\/videos\.example\.com/);
    assert.doesNotMatch(code, /vg_(live|test)_/);
  }
});
