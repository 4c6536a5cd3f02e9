/**
 * Prometheus itself accepts the alert rules, and each of them fires when it should.
 *
 * Thorough: downloads promtool where it is not installed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { findProgram } from './debian-program.ts';

const rules = join(import.meta.dirname, '../../deploy/prometheus');
const folder = makeTemporaryFolder('promtool');

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });

test('promtool accepts the rules, and their tests pass', (t) => {
  const named = { name: 'promtool', package: 'prometheus', path: 'usr/bin/promtool' };
  const promtool = findProgram({ ...named, folder });
  if (promtool === null) return t.skip('promtool is neither installed nor in a Debian archive');
  for (const [command, file] of Object.entries({
    check: 'alerts.yaml',
    test: 'alerts.test.yaml',
  })) {
    const { status, stdout, stderr } = run(promtool, command, 'rules', join(rules, file));
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});
