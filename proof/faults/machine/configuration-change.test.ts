/**
 * A rolling change of the configuration under load: a worker that does not know the provider runs
 * beside a process that does, and the latter is restarted again and again.
 * Thorough: a sample of a long fault test.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faultTest, noFindings, resultOf, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';

/** A configuration without the provider and the routes of the tasks. */
const olderConfig = {
  providers: {
    older: {
      kind: 'modelark',
      baseUrl: 'http://127.0.0.1:9',
      apiKey: { env: 'ARK_API_KEY' },
      models: { 'vidgen-2-0': 'older-model' },
    },
  },
  routes: { 'vidgen-2-0': ['older'] },
};

faultTest('two processes with different configuration, one of which knows the provider', {
  sample: 1,
  async run(options) {
    await using installation = await Installation.open();
    const { clients, home } = installation;
    const config = join(home, 'older.config.mjs');
    await writeFile(config, `export default ${JSON.stringify(olderConfig)};\n`);
    let knowing = installation.start();
    await knowing.waitUntilServing();
    await installation.account();
    const older = installation.start({ role: 'worker', environment: { VIDGEN_CONFIG: config } });
    clients.start();
    await installation.waitUntilWorking(older);
    const { runs, violations } = await runRepeatedly(options, async () => {
      await clients.create();
      const broken = await knowing.stopViolations();
      // Nobody knows the provider for the time of the restart.
      knowing = installation.start();
      await knowing.waitUntilServing();
      return { ...noFindings, broken };
    });
    await clients.stop();
    const findings = await inspectEnd(installation, { staying: [knowing, older] });
    return resultOf([findings], { runs, violations });
  },
});
