/**
 * docs/models.md is correct: its reader sells a model through the stand-in for its vendor.
 * Thorough: starts the service as its reader would.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = makeTemporaryFolder('models-guide');
const fakePort = await reservePort();
const port = await reservePort();

/** The files of the guide, with free ports. */
const guide = readFileSync(join(root, 'docs/models.md'), 'utf8');
for (const [, name, text] of guide.matchAll(/^```\w+ (\S+)\n(.*?)^```/gms)) {
  writeFileSync(
    join(folder, name!),
    text!.replaceAll('4100', String(fakePort)).replaceAll('8787', String(port)),
  );
}
for (const name of ['presets', 'server']) symlinkSync(join(root, name), join(folder, name));
const home = join(folder, '.vidgen');
mkdirSync(home, { mode: 0o700 });

const run = (program: string, ...args: string[]) => {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  return { child, output: () => output };
};

const fake = run(process.execPath, 'fake-kling.mjs', fileURLToPath(resultVideoPath));
const service = new ServiceProcess({
  environment: {
    VIDGEN_HOME: home,
    VIDGEN_CONFIG: join(folder, 'vidgen.config.ts'),
    PORT: String(port),
    KLING_API_KEY: 'any',
    VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8',
  },
  logFile: join(folder, 'output'),
});
after(async () => {
  fake.child.kill();
  if (!service.hasExited) await service.stop();
});

test('a reader of docs/models.md sells a video of kling-3', async () => {
  await service.waitUntilServing();
  const sale = run('sh', 'sell.sh');
  await once(sale.child, 'close');
  assert.match(sale.output(), /\{"credits":84\}.*"status":"completed".*"credits":84/s);
  assert.match(fake.output(), /"model_name":"kling-v3","prompt":"A paper boat on a pond"/);
  assert.doesNotMatch(service.output(), /declares more than its providers make/);
});
