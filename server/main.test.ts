/** What the service prints at its start. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reservePort, ServiceProcess } from '../proof/faults/service-process.ts';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';

const skip = process.platform !== 'linux' && 'only Linux has a folder that root cannot write';
test('a home that cannot be written is one sentence', { skip }, async () => {
  const folder = makeTemporaryFolder('no-home');
  const logFile = join(folder, 'said');
  for (const environment of [{}, { VIDGEN_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }]) {
    await using service = new ServiceProcess({
      environment: { VIDGEN_HOME: '/sys/vidgen', PORT: '0', ...environment },
      logFile,
    });
    assert.equal((await service.exited).code, 1);
    assert.match(service.output(), /- VIDGEN_HOME \/sys\/vidgen cannot be written \(E\w+\)/);
    assert.doesNotMatch(service.output(), /^\s+at /m);
  }
});

test('reports the encoder after the command to try it', async () => {
  const home = makeTemporaryFolder('start');
  await using service = new ServiceProcess({
    environment: { VIDGEN_HOME: home, PORT: String(await reservePort()) },
    logFile: join(home, 'said'),
  });
  await service.waitUntilServing();
  while (!/^Preview: .*\.$/m.test(service.output())) {
    assert.ok(!service.hasExited, service.output());
    await pause(100);
  }
  const output = service.output();
  assert.match(output, /^Preview: (native|WebAssembly) encoder \(.*\.$/m);
  assert.ok(output.indexOf('curl http') < output.indexOf('Preview: '), output);
  assert.match(output, /^ {2}Dashboard {5}http:.*\/dashboard\/join#[\w-]{43}$/m);
  const { code } = await service.stop();
  assert.equal(code, 0);
});
