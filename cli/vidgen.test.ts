/**
 * The CLI as a real process against the real service: its output, its exit codes, and that nothing
 * is charged twice. One service renders; the other leaves every task queued.
 * Thorough: starts a process for each command.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTool } from '../checks/tool.ts';
import {
  type CommandLineOptions,
  runCommandLine,
  startCommandLine,
} from '../proof/kit/command-line.ts';
import { startLocalServer } from '../proof/kit/local-server.ts';
import { resultFramePath } from '../proof/kit/result-server.ts';
import { useService } from '../proof/kit/service.ts';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { joinModules } from '../server/api/pages/join-modules.ts';

const program = fileURLToPath(new URL('./vidgen.mjs', import.meta.url));
const renderer = fileURLToPath(new URL('../proof/kit/one-second-renderer.ts', import.meta.url));
const folder = makeTemporaryFolder('cli');
const small = ['--model', 'vidgen-2-0-mini', '--resolution', '480p', '--duration', '4'];

const rendering = await useService({ renderer });
const queueing = await useService({ environment: { VIDGEN_ROLE: 'api' } });

type RunOptions = Omit<CommandLineOptions, 'settings'>;
const run = (args: readonly string[], options: RunOptions = {}) =>
  runCommandLine(args, { ...options, settings: folder });

async function runJson(args: readonly string[], options: RunOptions) {
  const { stdout, exit, stderr } = await run([...args, '--json'], options);
  return { body: JSON.parse(stdout) as Record<string, unknown>, exit, stderr };
}

/** Starts a fake service and returns its URL. */
async function listen(t: TestContext, listener: RequestListener): Promise<string> {
  const server = await startLocalServer(listener);
  t.after(() => server.close());
  return server.origin;
}

/** Returns a URL on which no server listens. */
async function closedPortUrl(): Promise<string> {
  const { origin, close } = await startLocalServer(() => {});
  await close();
  return origin;
}

test('waits for the video and saves it to the file', async () => {
  const { key } = await rendering.account({ test: 100, mode: 'test' });
  const args = ['create', '--prompt', 'A paper boat', ...small, '--wait', '-o', 'boat.mp4'];
  const { stdout, stderr, exit } = await run(args, { url: rendering.url, key });
  assert.deepEqual({ stdout, exit }, { stdout: 'boat.mp4\n', exit: 0 }, stderr);
  assert.match(stderr, /^task_\w+: \d+ credits reserved\.\n/);
  assert.equal(readFileSync(join(folder, 'boat.mp4')).toString('latin1', 4, 8), 'ftyp');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  );

  const id = stderr.split(':')[0]!;
  const again = await run(['get', id, '--wait'], { url: rendering.url, key });
  assert.match(again.stdout, /^http:\/\/127\.0\.0\.1:\d+\/results\/\S+\n$/);
  const fields = await run(['get', id], { url: rendering.url, key });
  assert.match(fields.stdout, /^status\tcompleted$/m);
  await rendering.assertInvariants();
});

test('reports the reason and the refund of a failed task and exits with 1', async () => {
  const { key } = await rendering.account({ test: 100, mode: 'test' });
  const options = { url: rendering.url, key };
  const { stdout, stderr, exit } = await run(
    ['create', '--prompt', 'A storm [test:fail]', '--wait'],
    options,
  );
  assert.deepEqual({ stdout, exit }, { stdout: '', exit: 1 });
  assert.match(stderr, /The task failed: provider_failed\. Its 40 credits were refunded\.\n$/);
  const id = stderr.split(':')[0]!;
  const { body, exit: jsonExit } = await runJson(['get', id, '--wait'], options);
  assert.deepEqual([body.status, body.failed_reason, jsonExit], ['failed', 'provider_failed', 1]);
});

test('distinguishes rejected keys, missing credits and usage errors by exit code', async () => {
  const { url } = queueing;
  const { key } = await queueing.account({ live: 1 });
  const { key: reader } = await queueing.account({ live: 100, permissions: ['tasks:read'] });
  const create = ['create', '--prompt', 'x'];
  const cases: [args: string[], options: RunOptions, exit: number, stderr: RegExp][] = [
    [create, { url, key: 'vg_live_wrong' }, 3, /key/],
    [create, { url }, 3, /VIDGEN_KEY is not set\. Create a key at \S+\/dashboard/],
    [create, { url, key: 'vg_live_…' }, 3, /contains invalid characters/],
    [create, { url, key: reader }, 3, /videos:create/],
    [create, { url, key }, 4, /40.*1\b/],
    [[...create, '--duration', '99'], { url, key }, 1, /input\.duration must be/],
    [['get', 'task_unknown'], { url, key }, 1, /No task found with this ID/],
    [['models'], { url: await closedPortUrl(), key }, 1, /ECONNREFUSED\. Check that/],
    [['create'], { url, key }, 2, /--prompt is required/],
    [['create', '--promt', 'x'], { url, key }, 2, /--promt for create\. Did you mean --prompt\?/],
    [[...create, '--aspect-ratio', '1:1'], { url, key }, 2, /Did you mean --ratio\?/],
    [['estimate', '--prompt', 'x', '--wait'], { url, key }, 2, /option --wait for estimate/],
    [['creat'], { url, key }, 2, /Did you mean create\?/],
    [['constructor'], { url, key }, 2, /Unknown command: constructor/],
    [['create', '--prompt', 'two', 'words'], { url, key }, 2, /argument "words"\. Quote/],
    [[...create, '--duration', 'long'], { url, key }, 2, /--duration must be a whole number/],
    [[...create, '--image', 'http://a.example/b'], { url, key }, 2, /require --type/],
    [[...create, '-o', 'nowhere/x.mp4'], { url, key }, 2, /nowhere\S+ does not exist/],
    [['get'], { url, key }, 2, /requires a task ID/],
  ];
  for (const [args, options, exit, stderr] of cases) {
    const result = await run(args, options);
    assert.deepEqual([result.exit, result.stdout], [exit, ''], args.join(' '));
    assert.match(result.stderr, stderr);
    assert.match(result.stderr, /^vidgen: /);
  }
  for (const args of [[], ['help'], ['create', '--help']]) {
    const { stdout, stderr, exit } = await run(args);
    assert.deepEqual([exit, stderr], [0, '']);
    assert.match(stdout, /--prompt TEXT/);
  }
});

test('prints the response of the service with --json, also for errors', async () => {
  const { key, client } = await queueing.account({ live: 100 });
  const options = { url: queueing.url, key };
  const created = await runJson(['create', '--prompt', 'x'], options);
  assert.deepEqual(Object.keys(created.body), ['taskId', 'credits']);
  const id = String(created.body.taskId);
  const paths: [args: string[], path: string][] = [
    [['get', id], `/v1/tasks/${id}`],
    [['list', '--status', 'queued', '--limit', '5'], '/v1/tasks?status=queued&limit=5'],
    [['models'], '/v1/models'],
    [['credits'], '/v1/credits'],
  ];
  for (const [args, path] of paths) {
    const { body, exit, stderr } = await runJson(args, options);
    assert.deepEqual([body, exit, stderr], [(await client.get(path)).body, 0, '']);
  }
  const estimate = await runJson(['estimate', '--prompt', 'x', '--resolution', '480p'], options);
  assert.deepEqual(estimate.body, { credits: 20 });
  const tooExpensive = await runJson(['create', '--prompt', 'x', '--duration', '30'], options);
  const { code, required } = tooExpensive.body.error as Record<string, unknown>;
  assert.deepEqual([code, required, tooExpensive.exit], ['insufficient_credits', 240, 4]);
  const unknownFlag = await runJson(['list', '--limt', '5'], options);
  assert.equal((unknownFlag.body.error as Record<string, unknown>).code, 'command_line');
  const cancelled = await runJson(['cancel', id], options);
  assert.equal(cancelled.body.failed_reason, 'cancelled');
});

test('prints tab-separated lines to a pipe', async () => {
  const { key } = await queueing.account({ live: 100 });
  const options = { url: queueing.url, key };
  assert.equal((await run(['list'], options)).stdout, '');
  const id = (await run(['create', '--prompt', 'x'], options)).stdout;
  assert.match(id, /^task_\w+\n$/);
  const { stdout } = await run(['list'], options);
  const date = '\\d{4}-\\d\\d-\\d\\dT[\\d:]+\\.000Z';
  assert.match(stdout, RegExp(`^${id.trim()}\tqueued\tvidgen-2-5\t40\treserved\t${date}\t\n$`));
  assert.equal((await run(['estimate', '--prompt', 'x'], options)).stdout, 'credits\t40\n');
  assert.match((await run(['models'], options)).stdout, /^vidgen-2-5\t4-30\t480p 4, 720p 8, /);
  assert.match(
    (await run(['credits'], options)).stdout,
    /^available\t60\nreserved\t40\nmode\tlive\n$/,
  );
});

test('sends every flag, and any prompt unchanged', async (t) => {
  let received: unknown;
  const url = await listen(t, async (request, response) => {
    received = JSON.parse((await buffer(request)).toString());
    response.end('{"taskId":"task_1","credits":1}');
  });
  const prompt = `- it's "quoted" $HOME \`id\` \\n\ntwo lines 🎬 \u202e`;
  const flags = {
    prompt,
    model: 'vidgen-2-0',
    type: 'reference-to-video',
    image: "https://example.com/a'b.png?x=1&y=$2",
    video: 'https://example.com/d.mp4',
    audio: 'https://example.com/e.mp3',
    duration: '6',
    resolution: '480p',
    ratio: '9:16',
    seed: '4294967295',
    callback: 'https://example.com/hook?a=b&c=d',
  };
  const values = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const switches = ['--no-sound', '--watermark', '--web-search', '--last-frame'];
  const created = await run(['create', ...values, ...switches], { url, key: 'vg_live_1' });
  assert.equal(created.exit, 0, created.stderr);
  assert.deepEqual(received, {
    model: flags.model,
    callback_url: flags.callback,
    input: {
      prompt,
      generation_type: flags.type,
      image_urls: [flags.image],
      video_urls: [flags.video],
      audio_urls: [flags.audio],
      duration: 6,
      resolution: '480p',
      aspect_ratio: '9:16',
      generate_audio: false,
      watermark: true,
      web_search: true,
      return_last_frame: true,
      seed: 4_294_967_295,
    },
  });
});

test('sends a negative seed, and says which fields the service ignored', async () => {
  const { key } = await queueing.account({ live: 10_000 });
  const create = (...flags: string[]) =>
    run(['create', '--prompt', 'x', ...flags], { url: queueing.url, key });
  const seeded = await create('--model', 'vidgen-2-0', '--seed', '-1');
  const { body } = await queueing.admin.get(`/admin/tasks/${seeded.stdout.trim()}`);
  assert.equal((body.request as { input: { seed: number } }).input.seed, -1);
  const { stderr } = await create('--type', 'text-to-video', '--image', 'http://127.0.0.1:1/a.png');
  assert.match(stderr, /^Ignored for this generation type: input\.image_urls\.\n/);
});

test('uploads local files, and sends the same task for the same file and key', async () => {
  const { key } = await queueing.account({ live: 100 });
  const image = readFileSync(resultFramePath);
  writeFileSync(join(folder, 'cat.jpg'), image);
  const flags = [...small, '--prompt', 'x', '--type', 'image-to-video', '--image', './cat.jpg'];
  const options = { url: queueing.url, key };
  const created = [...flags, '--idempotency-key', 'cat'];
  const first = await run(['create', ...created], options);
  assert.equal(first.exit, 0, first.stderr);
  const { body } = await queueing.admin.get(`/admin/tasks/${first.stdout.trim()}`);
  const { input } = body.request as { input: { image_urls: string[] } };
  const response = await fetch(input.image_urls[0]!);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), image);
  assert.equal((await run(['create', ...created], options)).stdout, first.stdout);

  const estimated = await runJson(['estimate', ...flags], options);
  assert.equal(typeof estimated.body.credits, 'number', estimated.stderr);
  const missing = await run(['create', ...flags, '--image', 'none.png'], options);
  assert.equal(missing.exit, 2);
  assert.match(missing.stderr, /--image must be a URL or a file \(got "none\.png"\)/);
  writeFileSync(join(folder, 'page.html'), '<!doctype html>');
  const page = await run(['create', ...flags, '--image', 'page.html'], options);
  assert.equal(page.exit, 1);
  assert.match(page.stderr, /Unsupported file type/);
});

test('retries a create whose response is lost and creates one task', async (t) => {
  const { key, client } = await queueing.account({ live: 100 });
  const keys: unknown[] = [];
  const url = await listen(t, async (request, response) => {
    keys.push(request.headers['idempotency-key']);
    const { status, body } = await forward(request, queueing.url);
    if (keys.length === 1) return void request.socket.destroy();
    if (keys.length === 2) return void response.writeHead(502).end('<html>');
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const { stdout, stderr, exit } = await run(['create', '--prompt', 'x'], { url, key });
  assert.equal(exit, 0, stderr);
  assert.equal(stderr.match(/Retrying in/g)?.length, 2);
  assert.equal(new Set(keys).size, 1);
  const { body } = await client.get('/v1/tasks');
  assert.deepEqual(
    (body.items as { id: string }[]).map(({ id }) => id),
    [stdout.trim()],
  );
  assert.equal((await client.get('/v1/credits')).body.available, 60);

  const first = await run(['create', '--prompt', 'y', '--idempotency-key', 'k'], { url, key });
  const second = await run(['create', '--prompt', 'y', '--idempotency-key', 'k'], { url, key });
  assert.equal(first.stdout, second.stdout);
});

async function forward(request: IncomingMessage, base: string) {
  const { method = 'GET', headers, url } = request;
  const forwardedHeaders = ['authorization', 'content-type', 'idempotency-key'];
  const body = await fetch(base + url, {
    method,
    headers: forwardedHeaders.flatMap((name) =>
      headers[name] ? [[name, String(headers[name])]] : [],
    ) as [string, string][],
    ...(method === 'GET' ? {} : { body: await buffer(request) }),
  });
  return { status: body.status, body: await body.text() };
}

test('says how to retry without paying twice when every response is lost', async (t) => {
  const url = await listen(t, (_request, response) => {
    response.writeHead(503, { 'retry-after': '0.01' }).end('{"error":{"message":"Down."}}');
  });
  const { stderr, exit } = await run(['create', '--prompt', 'x'], { url, key: 'vg_live_1' });
  assert.equal(exit, 1);
  assert.match(
    stderr,
    /vidgen: Down\.\nTo retry safely, run the same command with --idempotency-key [\w-]{36}\n/,
  );
});

test('reports a URL of another server', async (t) => {
  const url = await listen(t, (request, response) => {
    const moved = request.method === 'POST';
    response.writeHead(moved ? 301 : 200, moved ? { location: 'https://b.example/' } : {});
    response.end('<html>');
  });
  const options = { url, key: 'vg_live_1' };
  const moved = await run(['create', '--prompt', 'x'], options);
  assert.match(moved.stderr, /returned 301, moved to https:\/\/b\.example\/\. Check VIDGEN_URL/);
  const { stderr, exit } = await run(['credits'], options);
  assert.equal(exit, 1);
  assert.match(stderr, /returned 200, not in JSON\. Check VIDGEN_URL\./);
});

test('says how to resume when Ctrl-C ends the wait', async () => {
  const { key } = await queueing.account({ live: 100 });
  const args = ['create', '--prompt', 'x', '-o', 'a boat.mp4'];
  const child = startCommandLine(args, { url: queueing.url, key, settings: folder });
  let stderr = '';
  for await (const part of child.stderr.setEncoding('utf8')) {
    stderr += part;
    if (stderr.endsWith('queued\n')) child.kill('SIGINT');
  }
  if (child.exitCode === null) await once(child, 'exit');
  const id = stderr.split(':')[0];
  assert.equal(child.exitCode, 130);
  assert.match(stderr, RegExp(`Resume with: node \\S+ get ${id} -o 'a boat\\.mp4'\n$`));
});

test('is served as one file that uses only features of Node 18', async () => {
  const source = await joinModules(program);
  for (const [, name] of source.matchAll(/^import .* from '(.+)';$/gm))
    assert.match(name!, /^node:/);
  assert.doesNotMatch(source, /^export |from '\.|@import/m);
  // Node features that are newer than 18: styleText, import.meta.dirname, parseArgs' defaults.
  assert.doesNotMatch(source, /styleText|import\.meta|default:|allowNegative|tokens:/);
  const file = join(folder, 'joined.mjs');
  writeFileSync(file, source);
  const language = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'];
  const project = ['--ignoreConfig', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
  const types = ['--typeRoots', fileURLToPath(new URL('../node_modules/@types', import.meta.url))];
  const checks = ['--noEmit', '--allowJs', '--checkJs', '--strict', '--exactOptionalPropertyTypes'];
  await runTool('typescript/bin/tsc', [...language, ...project, ...types, ...checks, file]);
});
