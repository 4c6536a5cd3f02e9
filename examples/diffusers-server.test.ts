/**
 * The engine for diffusers, in its mode without a GPU, makes a video through `vidgen worker`.
 * Thorough: runs Python.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { reservePort } from '../proof/faults/service-process.ts';
import { createBox } from '../proof/kit/gpu-box.ts';
import { createTask } from '../proof/kit/journey.ts';
import { resultVideoPath } from '../proof/kit/result-server.ts';
import { useService } from '../proof/kit/service.ts';
import { unmarkedVideo } from '../proof/kit/unmarked.ts';

const provider = { kind: 'openai-videos', dialect: 'vllm', usualSeconds: 1 } as const;
const models = { 'vidgen-2-0-mini': 'wan' };
const service = await useService({
  file: {
    providers: { den: { ...provider, baseUrl: 'tunnel://den', models } },
    routes: { 'vidgen-2-0-mini': ['den'] },
  },
});

function start(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const options = { env: { ...process.env, ...env }, stdio: 'pipe' } as const;
  const child = spawn(command, args, options);
  after(() => child.kill('SIGKILL'));
  return child;
}

test('makes a video, and the box ends when it is revoked', async (t) => {
  const port = `${await reservePort()}`;
  const dryRun = ['--port', port, '--dry-run', resultVideoPath.pathname];
  const python = start('python3', [join(import.meta.dirname, 'diffusers-server.py'), ...dryRun]);
  const outcome = await Promise.race([once(python, 'error'), once(python.stdout, 'data')]);
  if (outcome[0] instanceof Error) return t.skip('python3 is not installed');
  const engineUrl = `http://127.0.0.1:${port}`;
  const token = await createBox(service, { name: 'den', kind: 'openai-videos', engineUrl });
  const worker = start(
    process.execPath,
    [
      ...[join(import.meta.dirname, '../cli/vidgen.mjs'), 'worker', '--name', 'den'],
      ...['--url', service.url, '--engine', engineUrl, '--kind', 'openai-videos'],
    ],
    { VIDGEN_WORKER_TOKEN: token },
  );
  const output: string[] = [];
  worker.stderr.on('data', (chunk) => output.push(String(chunk)));
  const task = await createTask(service);
  const { data } = await task.final();
  const video = Buffer.from(await (await fetch(data!.results[0]!)).arrayBuffer());
  assert.ok(unmarkedVideo(video).equals(await readFile(resultVideoPath)));
  assert.match(
    output.join(''),
    /the engine responds[\s\S]*ready for tasks[\s\S]*POST \/v1\/videos 200/,
  );
  await service.admin.send('DELETE', '/admin/workers/den');
  const [code] = await once(worker, 'exit');
  assert.equal(code, 3, output.join(''));
  assert.match(output.join(''), /unknown or revoked/);
});
