/** What the service prints at its start. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reservePort, ServiceProcess } from '../proof/faults/service-process.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';

test('reports the encoder after the command to try it', async () => {
  const home = makeTemporaryFolder('start');
  const service = new ServiceProcess({
    environment: { VIDGEN_HOME: home, PORT: String(await reservePort()) },
    logFile: join(home, 'said'),
  });
  try {
    await service.waitUntilServing();
    while (!/^Preview: .*\.$/m.test(service.output())) {
      assert.ok(!service.hasExited, service.output());
      await pause(100);
    }
    const output = service.output();
    assert.match(output, /^Preview: (native|WebAssembly) encoder \(.*\.$/m);
    assert.ok(output.indexOf('curl http') < output.indexOf('Preview: '), output);
    assert.match(output, /^Open the dashboard: http:.*\/dashboard\/join#[\w-]{43}$/m);
    const { code } = await service.stop();
    assert.equal(code, 0);
  } finally {
    if (!service.hasExited) await service.kill();
    deleteFolder(home);
  }
});
