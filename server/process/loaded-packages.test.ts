/**
 * What a start loads. A package or a module of Node that is needed rarely is imported on first use:
 * it would cost every process memory, and every start time.
 *
 * Thorough: starts processes and lists what they load.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { reservePort, ServiceProcess } from '../../proof/faults/service-process.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';

const database = [
  ...['pg', 'pg-connection-string', 'pg-int8', 'pg-pool', 'pg-protocol', 'pg-types', 'xtend'],
  ...['postgres-array', 'postgres-bytea', 'postgres-date', 'postgres-interval'],
];
const logs = [
  ...['@pinojs/redact', 'atomic-sleep', 'on-exit-leak-free', 'pino', 'pino-std-serializers'],
  ...['quick-format-unescaped', 'safe-stable-stringify', 'sonic-boom', 'thread-stream'],
];
const router = [
  ...['fast-deep-equal', 'fast-querystring', 'fast-decode-uri-component', 'find-my-way'],
  ...['ret', 'safe-regex2'],
];
// All but prom-client are empty packages: see `overrides` in package.json.
const metrics = ['@opentelemetry/api', 'prom-client', 'tdigest'];
const allowed = [...database, ...logs, ...router, ...metrics, 'zod'];

test('a start loads no package and no adapter that is needed on first use only', async (t) => {
  const { packages, own, builtins } = await listLoaded(t);
  assert.deepEqual(
    packages.filter((name) => !allowed.includes(name)),
    [],
  );
  // Node loads its `fetch` with any import of `node:http`, which takes 11 MB.
  assert.deepEqual(
    builtins.filter((name) => name.includes('undici')),
    [],
  );
  for (const adapter of ['comfyui', 'declared', 'fal', 'modelark', 'openai-videos', 'replicate']) {
    assert.ok(!own.includes(`server/providers/${adapter}/${adapter}.ts`), adapter);
  }
});

async function listLoaded(t: TestContext) {
  const home = makeTemporaryFolder('loaded');
  const listFile = join(home, 'loaded.json');
  const hook = join(home, 'hook.mjs');
  writeFileSync(hook, hookSource(listFile));
  await using service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      VIDGEN_SELF_TEST: 'off',
      PORT: String(await reservePort()),
      NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
    },
    logFile: join(home, 'said'),
  });
  t.after(async () => {
    if (!service.hasExited) await service.kill();
  });
  while (!service.output().includes('"msg":"serving"')) {
    assert.ok(!service.hasExited, service.output());
    await pause(100);
  }
  await service.stop();
  const { urls, builtins } = JSON.parse(readFileSync(listFile, 'utf8')) as Loaded;
  const paths = urls.map((url) => url.slice(repository.length));
  const packages = paths.flatMap((path) => packagePattern.exec(path)?.[1] ?? []);
  const own = paths.filter((path) => !packagePattern.test(path));
  return { packages: [...new Set(packages)], own, builtins };
}

type Loaded = { readonly urls: string[]; readonly builtins: string[] };

const repository = pathToFileURL(join(import.meta.dirname, '../../')).href;
const packagePattern = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** Writes the URLs of all loaded files when the process exits. */
const hookSource = (listFile: string): string => `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith(${JSON.stringify(repository)})) urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const loaded = { urls, builtins: process.moduleLoadList };
  writeFileSync(${JSON.stringify(listFile)}, JSON.stringify(loaded));
});
`;
