/**
 * Prometheus itself accepts the alert rules, and each of them fires when it should.
 *
 * Thorough: downloads promtool where it is not installed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../kit/temporary-folder.ts';

const rules = join(import.meta.dirname, '../../deploy/prometheus');
const folder = makeTemporaryFolder('promtool');
after(() => deleteFolder(folder));

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });

/** Debian's package is unpacked, not installed. */
function findPromtool(): string | null {
  if (run('promtool', '--version').status === 0) return 'promtool';
  if (run('apt-get', 'download', 'prometheus').status !== 0) return null;
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  if (!archive || run('dpkg', '-x', archive, 'unpacked').status !== 0) return null;
  return join(folder, 'unpacked/usr/bin/promtool');
}

test('promtool accepts the rules, and their tests pass', (t) => {
  const promtool = findPromtool();
  if (promtool === null) return t.skip('promtool is neither installed nor in a Debian archive');
  for (const [command, file] of Object.entries({
    check: 'alerts.yaml',
    test: 'alerts.test.yaml',
  })) {
    const { status, stdout, stderr } = run(promtool, command, 'rules', join(rules, file));
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});
