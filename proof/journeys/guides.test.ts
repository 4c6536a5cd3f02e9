/**
 * docs/guides is correct: its examples run as a reader would run them.
 * Thorough: runs the examples of the guides as a reader would.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { UploadedFile } from '@vidgen/contract/files.ts';
import { CompletionPayload, FailurePayload } from '@vidgen/contract/webhook-payload.ts';
import { quickStartSnippets } from '../../dashboard/src/overview/quick-start-snippets.ts';
import { createCatalog } from '../../server/catalog/catalog.ts';
import { checkGeneration } from '../../server/catalog/check.ts';
import { readConfigFile } from '../../server/config/config-file.ts';
import { reservePort } from '../faults/service-process.ts';
import { startJourney } from '../kit/journey.ts';
import { pluck } from '../kit/pluck.ts';
import { resultFramePath } from '../kit/result-server.ts';

const journey = await startJourney();
const folder = await mkdtemp(join(tmpdir(), 'vidgen-guides-'));
after(async () => {
  await journey.close();
  await rm(folder, { recursive: true });
});

await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));

const present = (program: string) => spawnSync(program, ['--version']).status === 0;
const without = (program: string) =>
  present(program) ? false : `there is no ${program} on this machine`;

/** The code blocks as a reader gets them, with the URL of this service and the file names. */
async function snippetsOf(guide: string, language: string) {
  const text = await (await fetch(`${journey.service.url}/guides/${guide}.md`)).text();
  const fence = new RegExp(`^\`\`\`${language}(?: (\\S+))?\n(.*?)^\`\`\``, 'gms');
  return [...text.matchAll(fence)].map(([, name, code]) => ({ name, code: code! }));
}

async function blocksOf(guide: string, language: string): Promise<string[]> {
  const snippets = await snippetsOf(guide, language);
  for (const { name, code } of snippets) if (name) nameOf.set(code, name);
  return snippets.map(({ code }) => code);
}

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** The file that the guide gives for each program. */
const nameOf = new Map<string, string>();

type Environment = Record<string, string>;
const programs = { ts: process.execPath, python: 'python3' } as const;
type Language = keyof typeof programs;

async function start(language: Language, text: string, environment: Environment) {
  const name = nameOf.get(text) ?? assert.fail('the program has no file name');
  const file = await written(name, text);
  const child = spawn(programs[language], [file], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, output: lines(child) };
}

/** Collects the output, and can wait for a pattern in it. */
function lines(child: ChildProcess) {
  const output = { text: '', over: false };
  const listeners = new Set<() => void>();
  const onOutput = (chunk: unknown) => {
    output.text += String(chunk ?? '');
    for (const one of listeners) one();
  };
  child.stdout!.on('data', onOutput);
  child.stderr!.on('data', onOutput);
  child.on('close', () => {
    output.over = true;
    onOutput('');
  });
  return {
    text: () => output.text,
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(output.text)) {
        assert(!output.over, output.text);
        await new Promise<void>((resolve) => listeners.add(resolve));
      }
      return output.text;
    },
  };
}

for (const language of ['ts', 'python'] as const) {
  const skip = language === 'python' && without('python3');

  test(`the first steps in ${language} end with a video`, { skip }, async () => {
    const { key } = await journey.service.account({ live: 100 });
    const [text] = await blocksOf('quick-start', language);
    const { output } = await start(language, text!, { VIDGEN_KEY: key });
    const printed = await output.until(/^(completed|failed) \S+$/m);
    assert.match(printed, /^task_\w{26}: 40 credits reserved$/m);
    const videoUrl = /^completed (\S+)$/m.exec(printed)?.[1] ?? assert.fail(printed);
    assert.equal((await fetch(videoUrl)).headers.get('content-type'), 'video/mp4');
  });

  test(`a wrong key returns its error in ${language}`, { skip }, async () => {
    const [text] = await blocksOf('quick-start', language);
    const { output } = await start(language, text!, { VIDGEN_KEY: 'vg_test_wrong' });
    await output.until(/invalid_api_key: .*API key/);
  });

  test(`the receiver in ${language} accepts signed webhooks and no forged ones`, {
    skip,
  }, async () => {
    const { service } = journey;
    const account = await service.account({ live: 100 });
    const port = await reservePort();
    const [text] = await blocksOf('webhooks', language);
    const settings = { WEBHOOK_SECRET: account.webhookSecret, PORT: String(port) };
    const { child, output } = await start(language, text!, settings);
    try {
      await output.until(/^listening$/m);
      const url = `http://127.0.0.1:${port}/hook`;
      const sendTestWebhook = async () => {
        const path = `/admin/accounts/${account.id}/deliveries/test`;
        const { body } = await service.admin.post(path, { url });
        return body as { answer_status: number; body: string };
      };
      const webhook = await sendTestWebhook();
      assert.equal(webhook.answer_status, 200, JSON.stringify(webhook));
      await output.until(new RegExp(`^${JSON.parse(webhook.body).id} completed `, 'm'));

      const { body } = await account.client.create({
        model: 'vidgen-2-0-mini',
        callback_url: url,
        input: { prompt: 'A real call, ünïcödé and all' },
      });
      await output.until(new RegExp(`^${body.taskId} completed `, 'm'));

      const outputBefore = output.text();
      for (const headers of forgeries()) {
        const response = await fetch(url, { method: 'POST', headers, body: webhook.body });
        assert.equal(response.status, 401, JSON.stringify(headers));
      }
      // During a rotation, receivers with the old secret still accept webhooks.
      await service.admin.post(`/admin/accounts/${account.id}/webhook-secret`);
      assert.equal((await sendTestWebhook()).answer_status, 200);
      await service.admin.post(`/admin/accounts/${account.id}/webhook-secret`, {
        keep_previous_seconds: 0,
      });
      assert.equal((await sendTestWebhook()).answer_status, 401);
      assert(output.text().startsWith(outputBefore));
    } finally {
      child.kill();
    }
  });
}

/** Headers that a receiver must reject. */
function forgeries(): Record<string, string>[] {
  const now = String(Math.floor(Date.now() / 1000));
  const good = { 'webhook-id': 'msg_test_1', 'webhook-timestamp': now };
  return [
    {},
    { ...good, 'webhook-signature': 'v1,' },
    { ...good, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` },
    { ...good, 'webhook-timestamp': 'now', 'webhook-signature': 'v1,x' },
    { ...good, 'webhook-timestamp': String(Number(now) - 301), 'webhook-signature': 'v1,x' },
  ];
}

describe('what the service serves', { skip: without('curl') }, () => {
  const shell = (command: string, environment: Environment) =>
    promisify(execFile)('sh', ['-c', command], {
      cwd: folder,
      env: { ...process.env, ...environment },
    });
  const isVideo = async (name: string) =>
    (await readFile(join(folder, name))).toString('latin1', 4, 8) === 'ftyp';

  test('the command line can be downloaded and creates a video, as shown', async () => {
    const { key } = await journey.service.account({ live: 100 });
    const blocks = await blocksOf('quick-start', 'sh');
    const command = blocks.find((block) => block.includes('vidgen.mjs create'));
    await shell(command!, { VIDGEN_KEY: key });
    assert(await isVideo('waves.mp4'));
  });

  test('the AI SDK creates a video and polls a started one, as shown', async () => {
    const { key, client } = await journey.service.account({ live: 100 });
    const [install] = await blocksOf('ai-sdk', 'sh');
    const [npm, curl] = install!.trim().split('\n');
    assert.equal(npm, 'npm install ai@7');
    await shell(curl!, {});
    const [createBlock, pollBlock] = await blocksOf('ai-sdk', 'ts');
    const interrupted = createBlock!.replace('timeoutMs', 'intervalMs: 1, timeoutMs');
    nameOf.set(interrupted, nameOf.get(createBlock!)!);
    await rm(join(folder, 'waves.mp4'), { force: true });
    const { output } = await start('ts', interrupted, { VIDGEN_KEY: key });
    await output.until(/^video\/mp4 \[\]$/m);
    assert(await isVideo('waves.mp4'));
    const other = await start('ts', pollBlock!, { VIDGEN_KEY: key });
    const printed = await other.output.until(/^completed \{[\s\S]*^\}$/m);
    const { taskId } = JSON.parse(printed.split('\n')[0]!) as { taskId: string };
    assert.equal((await client.task(taskId)).billing_status, 'charged');
  });
});

describe('clients of other vendors', () => {
  test('the aliases are accepted', async () => {
    const [, text] = await blocksOf('openai', 'ts');
    const file = await written('vidgen.aliases.config.ts', text!);
    assert.deepEqual((await readConfigFile(file)).aliases, {
      'sora-2': 'vidgen-2-5',
      'sora-2-pro': 'vidgen-2-0',
    });
  });

  test('LiteLLM is given the base and a model of this service', async () => {
    const [yaml] = await blocksOf('openai', 'yaml');
    const { key } = await journey.service.account({ live: 100 });
    const [, base] = /api_base: (\S+)/.exec(yaml!)!;
    const [, model] = /model: openai\/(\S+)/.exec(yaml!)!;
    const response = await fetch(`${base}/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, prompt: 'A boat', seconds: '4' }),
    });
    assert.equal(response.status, 200, await response.text());
  });
});

describe('commands', { skip: without('curl') }, () => {
  /** Runs a command in the shell and parses its JSON output. */
  async function run(command: string, environment: Environment) {
    const quiet = command.replace(/^curl /, 'curl -sS --max-time 90 ');
    const env = { ...process.env, ...environment };
    const options = { env, cwd: folder };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', quiet], options);
    assert.equal(stderr, '');
    return JSON.parse(stdout) as Record<string, unknown>;
  }
  const curlsOf = async (guide: string) =>
    (await blocksOf(guide, 'sh')).filter((block) => block.startsWith('curl '));

  test('the quick start creates a task and waits until it is final', async () => {
    const { key } = await journey.service.account({ live: 100 });
    const script = (await snippetsOf('quick-start', 'sh')).find(({ name }) => name !== undefined)!;
    assert.equal(script.name, 'first-video.sh');
    const file = await written(script.name, script.code);
    const env = { ...process.env, VIDGEN_KEY: key };
    const { stdout } = await promisify(execFile)('sh', [file], { env, cwd: folder });
    const printed = stdout.trim().split('\n');
    const [created, task] = printed.map((line) => JSON.parse(line));
    assert.deepEqual(Object.keys(created), ['taskId', 'credits']);
    assert.equal(created.credits, 40);
    assert.equal(task.status, 'completed');
    const [, shown] = await blocksOf('quick-start', 'json');
    assert.deepEqual(Object.keys(task), Object.keys(JSON.parse(shown!)));
    assert.deepEqual(Object.keys(task.data), Object.keys(JSON.parse(shown!).data));
  });

  test('the quick start shows the fields that were ignored', async () => {
    const { key } = await journey.service.account({ live: 100 });
    const estimate = (await curlsOf('quick-start')).find((block) => block.startsWith('curl -i'));
    const env = { ...process.env, VIDGEN_KEY: key };
    const { stdout } = await promisify(execFile)('sh', ['-c', estimate!], { env, cwd: folder });
    assert.match(stdout, /^vidgen-ignored: input\.image_urls\r?$/im);
    assert.match(stdout, /\{"credits":\d+\}/);
  });

  test('a repeated key returns the first response; an ended task is not cancelled', async () => {
    const { key, client } = await journey.service.account({ live: 100 });
    const [create, cancel] = await curlsOf('errors');
    const first = await run(create!, { VIDGEN_KEY: key });
    assert.deepEqual(await run(create!, { VIDGEN_KEY: key }), first);
    await client.final(String(first.taskId));
    const rejection = await run(cancel!, { VIDGEN_KEY: key, TASK_ID: String(first.taskId) });
    assert.match(JSON.stringify(rejection), /invalid_request.*already completed/);
  });

  test("a video is created in OpenRouter's format", async () => {
    const { key } = await journey.service.account({ live: 100 });
    const [create] = await curlsOf('openrouter');
    const { id, status, polling_url: url } = await run(create!, { VIDGEN_KEY: key });
    assert.deepEqual([status, url], ['pending', `${journey.service.url}/api/v1/videos/${id}`]);
  });

  test('an uploaded file has a URL', async () => {
    const { key } = await journey.service.account();
    await copyFile(resultFramePath, join(folder, 'boat.jpg'));
    const [upload] = await curlsOf('modes');
    const { id, url, ...rest } = UploadedFile.parse(await run(upload!, { VIDGEN_KEY: key }));
    assert.equal(rest.content_type, 'image/jpeg');
    assert.match(id, /^file_/);
    assert.equal((await fetch(url)).status, 200);
  });

  test('a marker in the prompt forces the outcome of a test task', async () => {
    const { key, client } = await journey.service.account({ test: 100, mode: 'test' });
    const [create] = await curlsOf('test-mode');
    const created = await run(create!, { VIDGEN_KEY: key });
    const task = await client.final(String(created.taskId));
    assert.deepEqual(
      [task.status, task.failed_reason, task.billing_status],
      ['failed', 'provider_failed', 'refunded'],
    );
  });
});

describe('the quick start of the dashboard', { skip: without('curl') }, () => {
  for (const { name, language, code } of quickStartSnippets(journey.service.url)) {
    const isPython = language === 'python';
    test(`${name} ends with a video`, { skip: isPython && without('python3') }, async () => {
      const { key, client } = await journey.service.account({ live: 100 });
      const own = await mkdtemp(join(folder, 'dashboard-'));
      const options = { cwd: own, env: { ...process.env, NODE_NO_WARNINGS: '1', VIDGEN_KEY: key } };
      const run = promisify(execFile);
      const fileName = /^(?:#|\/\/) (\S+): run it with/.exec(code)?.[1];
      if (fileName) await writeFile(join(own, fileName), code);
      const [, curl] = /^\/\/ and: {2}(curl .*)$/m.exec(code) ?? [];
      if (curl) await run('sh', ['-c', curl], options);
      if (isPython) await run('python3', [fileName!], options);
      else if (language === 'typescript') await run(process.execPath, [fileName!], options);
      else await run('sh', fileName ? [fileName] : ['-c', code], options);
      const { body } = await client.get('/v1/tasks');
      const [task] = body.items as { status: string }[];
      assert.equal(task?.status, 'completed');
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

test('the configuration for Stripe is accepted', async () => {
  const [text] = await blocksOf('going-to-production', 'ts');
  const { topUps } = await readConfigFile(await written('vidgen.guide.config.ts', text!));
  assert.deepEqual(pluck(topUps?.stripe?.packs ?? [], 'id', 'price'), [
    ['small', 1900],
    ['large', 19_900],
  ]);
});
