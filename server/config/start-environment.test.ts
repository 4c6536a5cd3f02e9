/** What other processes of the same user see of a running service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reservePort, ServiceProcess } from '../../proof/faults/service-process.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { ownNamespaces } from '../process/sandbox.ts';

const skip = process.platform !== 'linux' && 'only on Linux it can be erased';
const hasNamespaces = ownNamespaces().command.length > 0;
/** A user namespace in which no others can be created. */
const withoutNamespaces = [
  ...['unshare', '--user', '--map-root-user', '/bin/sh', '-c'],
  'for kind in user net; do echo 0 > /proc/sys/user/max_"$kind"_namespaces; done; exec "$0" "$@"',
];
const database = await useDatabase();
const secrets = {
  VIDGEN_DATABASE_URL: database.url,
  VIDGEN_SECRET: 'a root secret of thirty-two bytes',
  VIDGEN_ADMIN_TOKEN: 'an admin token of thirty-two byte',
  PGPASSWORD: 'a database password',
};

test('shows no secret in its start environment, and warns once without namespaces', {
  skip,
}, async () => {
  const home = makeTemporaryFolder('start-environment');
  const logFile = join(home, 'said');
  await using service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      PORT: String(await reservePort()),
      VIDGEN_SELF_TEST: 'off',
      FIRST: 'kept',
      ...secrets,
      LAST: 'kept too',
    },
    logFile,
    ...(hasNamespaces ? { through: withoutNamespaces } : {}),
  });
  await service.waitUntilServing();
  const environment = readFileSync(`/proc/${service.pid}/environ`, 'latin1');
  for (const [name, value] of Object.entries(secrets)) {
    assert.ok(!environment.includes(name) && !environment.includes(value), name);
  }
  assert.match(environment, /FIRST=kept\0/);
  assert.match(environment, /LAST=kept too\0/);
  const response = await fetch(`${service.url}/admin/accounts`, {
    headers: { authorization: `Bearer ${secrets.VIDGEN_ADMIN_TOKEN}` },
  });
  assert.equal(response.status, 200, 'and they are still in use');
  const { code } = await service.stop();
  assert.equal(code, 0);
  const lines = readFileSync(logFile, 'utf8').split('\n');
  const warnings = lines.filter((line) => line.includes('without their own namespaces'));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /"level":"warn".*open connections.*util-linux/);
});
