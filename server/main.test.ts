/** What whoever starts the service is told, and when. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reservePort, ServiceProcess } from '../proof/faults/service-process.ts';
import { deleteFolder, makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';

test('says which encoder it has, after the line to try it with', async () => {
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
