/**
 * The README and docs/guides are correct: their examples run as a reader would run them, and those
 * of other vendors' clients repeat a lost create safely.
 * Thorough: runs the examples of the guides as a reader would.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { createCatalog } from '../../server/catalog/catalog.ts';
import { checkGeneration } from '../../server/catalog/check.ts';
import { readConfigFile } from '../../server/config/config-file.ts';
import { reservePort } from '../faults/service-process.ts';
import { startJourney, textToVideo } from '../kit/journey.ts';
import { startLosingProxy } from '../kit/local-server.ts';
import { pluck } from '../kit/pluck.ts';
import { resultFramePath } from '../kit/result-server.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

const journey = await startJourney();
const folder = makeTemporaryFolder('guides');
after(() => journey.close());

await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));

const run = promisify(execFile);
const without = (program: string) =>
  spawnSync(program, ['--version']).status !== 0 && `there is no ${program} on this machine`;

type Snippet = { readonly name: string | undefined; readonly code: string };

/** The code blocks as a reader gets them, with the URL of this service and the file names. */
async function snippetsOf(guide: string, language: string): Promise<Snippet[]> {
  const text = await (await fetch(`${journey.service.url}/guides/${guide}.md`)).text();
  const fence = new RegExp(`^\`\`\`${language}(?: (\\S+))?\n(.*?)^\`\`\``, 'gms');
  return [...text.matchAll(fence)].map(([, name, code]) => ({ name, code: code! }));
}

const blocksOf = async (guide: string, language: string): Promise<string[]> =>
  (await snippetsOf(guide, language)).map(({ code }) => code);

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

type Environment = Record<string, string>;
const programs = { ts: process.execPath, python: 'python3' } as const;
type Language = keyof typeof programs;

/** Starts a program in the file that the guide gives for it. */
async function start(language: Language, { name, code }: Snippet, environment: Environment) {
  const file = await written(name ?? assert.fail('the program has no file name'), code);
  const child = spawn(programs[language], [file], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, output: outputOf(child) };
}

async function runShell(command: string, environment: Environment): Promise<string> {
  const env = { ...process.env, ...environment };
  const quiet = command.replace(/^curl /, 'curl -sS --max-time 90 ');
  const { stdout } = await run('sh', ['-c', quiet], { cwd: folder, env });
  return stdout;
}

/** Collects the output, and can wait for a pattern in it. */
function outputOf(child: ChildProcess) {
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  return {
    text: () => text,
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        assert(!child.stdout!.closed, text);
        await Promise.race([once(child.stdout!, 'data'), once(child.stdout!, 'close')]);
      }
      return text;
    },
  };
}

for (const language of ['ts', 'python'] as const) {
  const skip = language === 'python' && without('python3');

  test(`the first steps in ${language} end with a video`, { skip }, async () => {
    const { key } = await journey.service.account({ live: 100 });
    const [program] = await snippetsOf('quick-start', language);
    const { output } = await start(language, program!, { VIDGEN_KEY: key });
    const printed = await output.until(/^(completed|failed) \S+$/m);
    assert.match(printed, /^task_\w{26}: 40 credits reserved$/m);
    const videoUrl = /^completed (\S+)$/m.exec(printed)?.[1] ?? assert.fail(printed);
    assert.equal((await fetch(videoUrl)).headers.get('content-type'), 'video/mp4');
  });

  test(`the receiver in ${language} accepts signed webhooks and no forged ones`, {
    skip,
  }, async () => {
    const { service } = journey;
    const account = await service.account({ live: 100 });
    const port = await reservePort();
    const [program] = await snippetsOf('webhooks', language);
    const settings = { WEBHOOK_SECRET: account.webhookSecret, PORT: String(port) };
    const { child, output } = await start(language, program!, settings);
    try {
      await output.until(/^listening$/m);
      const url = `http://127.0.0.1:${port}/hook`;
      const path = `/admin/accounts/${account.id}/deliveries/test`;
      const { body: webhook } = await service.admin.post(path, { url });
      assert.equal(webhook.answer_status, 200, JSON.stringify(webhook));
      await output.until(new RegExp(`^${JSON.parse(String(webhook.body)).id} completed `, 'm'));

      const { body } = await account.client.create({
        model: 'vidgen-2-0-mini',
        callback_url: url,
        input: { prompt: 'A real call, ünïcödé and all' },
      });
      await output.until(new RegExp(`^${body.taskId} completed `, 'm'));

      const outputBefore = output.text();
      for (const headers of forgeries()) {
        const response = await fetch(url, { method: 'POST', headers, body: String(webhook.body) });
        assert.equal(response.status, 401, JSON.stringify(headers));
      }
      assert(output.text().startsWith(outputBefore));
    } finally {
      child.kill();
    }
  });
}

/** Headers that a receiver must reject. */
function forgeries(): Record<string, string>[] {
  const now = Math.floor(Date.now() / 1000);
  const id = { 'webhook-id': 'msg_test_1' };
  const signature = `v1,${Buffer.alloc(32).toString('base64')}`;
  return [
    {},
    ...['now', `${now}`, `${now - 301}`].map((time) => ({
      ...id,
      'webhook-timestamp': time,
      'webhook-signature': signature,
    })),
  ];
}

describe('what the service serves', { skip: without('curl') }, () => {
  const isVideo = async (name: string) =>
    (await readFile(join(folder, name))).toString('latin1', 4, 8) === 'ftyp';

  test('the command line can be downloaded and creates a video, as shown', async () => {
    const { key } = await journey.service.account({ live: 100 });
    const blocks = await blocksOf('quick-start', 'sh');
    const command = blocks.find((block) => block.includes('vidgen.mjs create'));
    await runShell(command!, { VIDGEN_KEY: key });
    assert(await isVideo('waves.mp4'));
  });

  test('the AI SDK creates a video and polls a started one, as shown', async () => {
    const { key, client } = await journey.service.account({ live: 100 });
    const [install] = await blocksOf('ai-sdk', 'sh');
    const [npm, curl] = install!.trim().split('\n');
    assert.equal(npm, 'npm install ai@7');
    await runShell(curl!, {});
    const [creating, polling] = await snippetsOf('ai-sdk', 'ts');
    const code = creating!.code.replace('timeoutMs', 'intervalMs: 1, timeoutMs');
    await rm(join(folder, 'waves.mp4'), { force: true });
    const { output } = await start('ts', { ...creating!, code }, { VIDGEN_KEY: key });
    await output.until(/^video\/mp4 \[\]$/m);
    assert(await isVideo('waves.mp4'));
    const other = await start('ts', polling!, { VIDGEN_KEY: key });
    const printed = await other.output.until(/^completed \{[\s\S]*^\}$/m);
    const { taskId } = JSON.parse(printed.split('\n')[0]!) as { taskId: string };
    assert.equal((await client.task(taskId)).billing_status, 'charged');
  });
});

test('the configurations in the guides are accepted', async () => {
  const read = async (guide: string, nth: number) =>
    await readConfigFile(await written(`${guide}.config.ts`, (await blocksOf(guide, 'ts'))[nth]!));
  assert.equal((await read('openai', 1)).aliases?.['sora-2'], 'vidgen-2-5');
  const { aliases } = await read('modelark', 1);
  assert.equal(aliases?.['dreamina-seedance-2-5-260628'], 'vidgen-2-5');
  const { topUps } = await read('going-to-production', 0);
  assert.deepEqual(pluck(topUps?.stripe?.packs ?? [], 'id', 'price'), [
    ['small', 1900],
    ['large', 19_900],
  ]);
});

describe('commands', { skip: without('curl') }, () => {
  const runJson = async (command: string, environment: Environment) =>
    JSON.parse(await runShell(command, environment)) as Record<string, unknown>;
  const curlsOf = async (guide: string) =>
    (await blocksOf(guide, 'sh')).filter((block) => block.startsWith('curl '));

  test('the quick start creates a task and waits until it is final', async () => {
    const { key } = await journey.service.account({ live: 100 });
    const script = (await snippetsOf('quick-start', 'sh')).find(({ name }) => name !== undefined)!;
    assert.equal(script.name, 'first-video.sh');
    const file = await written(script.name, script.code);
    const env = { ...process.env, VIDGEN_KEY: key };
    const { stdout } = await run('sh', [file], { env, cwd: folder });
    const [created, task] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(Object.keys(created), ['taskId', 'credits']);
    assert.equal(created.credits, 40);
    assert.equal(task.status, 'completed');
    const [, shown] = await blocksOf('quick-start', 'json');
    assert.deepEqual(Object.keys(task), Object.keys(JSON.parse(shown!)));
    assert.deepEqual(Object.keys(task.data), Object.keys(JSON.parse(shown!).data));
  });

  test('a repeated key returns the first response; an ended task is not cancelled', async () => {
    const { key, client } = await journey.service.account({ live: 100 });
    const [create, cancel] = await curlsOf('errors');
    const first = await runJson(create!, { VIDGEN_KEY: key });
    assert.deepEqual(await runJson(create!, { VIDGEN_KEY: key }), first);
    await client.final(String(first.taskId));
    const rejection = await runJson(cancel!, { VIDGEN_KEY: key, TASK_ID: String(first.taskId) });
    assert.match(JSON.stringify(rejection), /invalid_request.*already completed/);
  });

  for (const guide of ['modes', 'test-mode', 'modelark', 'openrouter', 'replicate']) {
    test(`those of ${guide}.md succeed`, async () => {
      const account = await journey.service.account({ live: 100 });
      await copyFile(resultFramePath, join(folder, 'boat.jpg'));
      let id = '';
      for (const command of await curlsOf(guide)) {
        const response = await runJson(command, { VIDGEN_KEY: account.key, TASK_ID: id });
        id = String(response.taskId ?? response.id);
        assert.match(id, /^(task|file)_/, JSON.stringify(response));
      }
      assert.notEqual(id, '');
    });
  }
});

test('every request body in a guide is accepted', async () => {
  const catalog = createCatalog();
  const bodies = [
    ...(await blocksOf('modes', 'json')),
    ...(await blocksOf('webhooks', 'json')).slice(0, 1),
  ].map((text) => JSON.parse(text));
  assert.equal(bodies.length, 7);
  for (const body of bodies) {
    const checked = checkGeneration(body, { catalog, checkUrl: () => ({ ok: true }) });
    assert(checked.ok, checked.ok ? '' : checked.message);
    assert.deepEqual(checked.ignored, []);
  }
});

test('webhooks and errors match the guides', async () => {
  const [, completed, failed] = await blocksOf('webhooks', 'json');
  CompletionPayload.parse(JSON.parse(completed!));
  FailurePayload.parse(JSON.parse(failed!));
  const { client } = await journey.service.account();
  const input = { prompt: 'x', duration: 45 };
  const { body } = await client.create({ model: 'vidgen-2-5', input });
  const [shown] = await blocksOf('errors', 'json');
  assert.deepEqual(body, JSON.parse(shown!));
});

const hasPythonClient = spawnSync('python3', ['-c', 'import openai']).status === 0;
const examples = [
  { guide: 'openai', language: 'ts', prints: 'completed 1280x720\n' },
  { guide: 'openai', language: 'python', prints: 'completed 1280x720\n' },
  { guide: 'modelark', language: 'ts', prints: 'video/mp4\n' },
  { guide: 'openrouter', language: 'ts', prints: 'video/mp4\n' },
  { guide: 'replicate', language: 'ts', prints: 'video/mp4\n' },
] as const;

for (const { guide, language, prints } of examples) {
  const isMissing = language === 'python' && !hasPythonClient;
  const options = { skip: isMissing && 'there is no openai for python3' };
  const title = `the ${language} client of ${guide}.md repeats a create, and it is charged once`;
  test(title, options, async (t) => {
    const { key, client } = await journey.service.account({ live: 100 });
    const proxy = await startLosingProxy(journey.service.url);
    t.after(() => proxy.close());
    const [example] = await blocksOf(guide, language);
    // Its polls go to the URL of the service, which its SDK refuses beside another base URL.
    const isDirect = guide === 'replicate';
    const text = example!
      .replaceAll(journey.service.url, isDirect ? journey.service.url : proxy.origin)
      .replace('pollTimeoutMs', 'pollIntervalMs: 10, pollTimeoutMs');
    const cwd = await mkdtemp(join(folder, `${guide}-`));
    await writeFile(join(cwd, `waves.${language}`), text);
    const env = { ...process.env, NODE_NO_WARNINGS: '1', VIDGEN_KEY: key };
    const program = language === 'ts' ? process.execPath : 'python3';
    const { stdout } = await run(program, [`waves.${language}`], { cwd, env });
    assert.equal(stdout, prints);
    assert.equal((await readFile(join(cwd, 'waves.mp4'))).toString('latin1', 4, 8), 'ftyp');
    assert.equal(proxy.creates, isDirect ? 0 : 2, 'the response to the first create was lost');
    const { body } = await client.get('/v1/tasks');
    const tasks = body.items as { billing_status: string }[];
    assert.deepEqual(pluck(tasks, 'billing_status'), ['charged']);
  });
}

test('an MCP client connects over HTTP and as a program, as shown', {
  skip: without('curl'),
}, async () => {
  const { key } = await journey.service.account({ live: 100 });
  const [, list, download] = await blocksOf('mcp', 'sh');
  const listed = JSON.parse(await runShell(list!, { VIDGEN_KEY: key }));
  await runShell(download!, {});
  const [overHttp, asProgram] = (await blocksOf('mcp', 'json')).map((block) => {
    const settings = block.replace('vg_live_…', key).replace('/path/to', folder);
    return JSON.parse(settings).mcpServers.vidgen;
  });
  const { url, headers } = overHttp;
  const { command, args, env } = asProgram;
  const transports = [
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    new StdioClientTransport({
      command: command === 'node' ? process.execPath : command,
      args,
      env,
    }),
  ];
  const names = listed.result.tools.map(({ name }: { name: string }) => name);
  const guide = await (await fetch(`${journey.service.url}/guides/mcp.md`)).text();
  for (const name of names) assert.match(guide, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  for (const transport of transports) {
    const client = new Client({ name: 'guide', version: '1.0.0' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(pluck(tools, 'name'), names);
    await client.close();
  }
});

test('the commands and the configuration of the README run, as shown', {
  skip: without('curl'),
}, async () => {
  const file = join(import.meta.dirname, '../../README.md');
  const text = (await readFile(file, 'utf8')).replaceAll(
    'http://127.0.0.1:8787',
    journey.service.url,
  );
  const { key, client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const [wait] = /^curl .*until=final.*$/m.exec(text)!;
  const env = { VIDGEN_KEY: key, TASK: String(body.taskId) };
  assert.equal(JSON.parse(await runShell(wait, env)).status, 'completed');

  const [, download, create] = /`(curl -fsSO .*)`, then `node (vidgen\.mjs .*?)`/.exec(text)!;
  await runShell(download!, {});
  await runShell(`"${process.execPath}" ${create}`, { ...env, VIDGEN_URL: journey.service.url });
  assert.equal((await readFile(join(folder, 'boat.mp4'))).toString('latin1', 4, 8), 'ftyp');

  const [, config] = /^```ts\n(.*?)^```/ms.exec(text)!;
  await writeFile(join(folder, 'readme.config.ts'), config!);
  const { routes } = await readConfigFile(join(folder, 'readme.config.ts'));
  assert.deepEqual(routes, { 'vidgen-2-5': ['ark'] });
});
