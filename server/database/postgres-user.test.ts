/**
 * Which user runs the own PostgreSQL. It needs root, who can start processes as other users.
 *
 * Thorough: creates ten databases.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OwnDatabase, type OwnDatabaseOptions } from '../../proof/kit/own-database.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const skip = !isRoot && 'needs root, who can start processes as other users';
const hasNamespaces =
  isRoot && succeeds(['unshare', '--user', '--map-user=65534', '--map-group=65534', 'true']);
const skipWithoutNamespaces = skip || (!hasNamespaces && 'user namespaces are not allowed here');

const folder = makeTemporaryFolder('own');
// Other users pass through this folder.
chmodSync(folder, 0o711);

/** A `PATH` on which user namespaces are not allowed, as in most containers. */
const fakeFolder = join(folder, 'bin');
mkdirSync(fakeFolder, { mode: 0o755 });
writeFileSync(join(fakeFolder, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
const withoutNamespaces = {
  env: { ...process.env, PATH: `${fakeFolder}:${process.env.PATH}` },
};

const nobody = 65_534;
/** A number that /etc/passwd does not have. */
const unnamed = 54_321;
const as = (id: number): OwnDatabaseOptions => ({
  uid: id,
  gid: id,
  env: { ...process.env, HOME: folder },
});

let homes = 0;
function makeHome(owner = 0): string {
  const home = join(folder, `home-${++homes}`);
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, owner, owner);
  return home;
}

async function startAndStop(home: string, options: OwnDatabaseOptions = {}): Promise<void> {
  await using database = new OwnDatabase(home, options);
  assert.deepEqual(await database.query('select 1'), [1]);
}

const ownerOf = (home: string) => statSync(join(home, 'postgres/PG_VERSION')).uid;

test('root runs it in a user namespace, and the files stay those of root', {
  skip: skipWithoutNamespaces,
}, async () => {
  const home = makeHome();
  await startAndStop(home);
  assert.deepEqual([ownerOf(home), statSync(home).mode & 0o777], [0, 0o700]);
});

test('root runs it as the owner of the home directory', { skip }, async () => {
  const home = makeHome(nobody);
  await startAndStop(home);
  assert.deepEqual([ownerOf(home), statSync(home).mode & 0o777], [nobody, 0o700]);
});

test('root without user namespaces runs it as a system user', { skip }, async () => {
  const home = makeHome();
  await startAndStop(home, withoutNamespaces);
  assert.notEqual(ownerOf(home), 0);
  // The user's group passes through; no one else does.
  assert.deepEqual([statSync(home).uid, statSync(home).mode & 0o777], [0, 0o710]);
  // Also where namespaces are allowed, the files have an owner now.
  await startAndStop(home);
});

test('root and a home below a private folder of root', {
  skip: skipWithoutNamespaces,
}, async () => {
  const parent = makeHome();
  const home = join(parent, 'home');
  await startAndStop(home);
  const other = join(parent, 'other');
  await using database = new OwnDatabase(other, withoutNamespaces);
  await assert.rejects(database.ready, {
    name: 'ConfigError',
    message: /does not run as root, .*; start vidgen as another user, or set VIDGEN_DATABASE_URL/,
  });
});

test('a plain user runs it as itself', { skip }, async () => {
  const home = makeHome(nobody);
  await startAndStop(home, as(nobody));
  assert.equal(ownerOf(home), nobody);
});

test('a user without a name creates it in a user namespace', {
  skip: skipWithoutNamespaces,
}, async () => {
  const home = makeHome(unnamed);
  await startAndStop(home, as(unnamed));
  assert.equal(ownerOf(home), unnamed);
  // The name is needed to create the files only.
  await startAndStop(home, { ...as(unnamed), ...withoutNamespaces });
});

test('a user without a name and without namespaces is told what to do', { skip }, async () => {
  const home = makeHome(unnamed);
  await using database = new OwnDatabase(home, { ...as(unnamed), ...withoutNamespaces });
  await assert.rejects(database.ready, {
    name: 'ConfigError',
    message:
      /needs a name for the user ID 54321; add a line for it to .*passwd, or set VIDGEN_DATA/,
  });
});

function succeeds([program = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
