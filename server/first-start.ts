/**
 * What the very first start leaves behind: an admin token, a link that makes the first
 * administrator, and on the embedded engine a demo account with credits, so that the curl line it
 * prints works as it is.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, listAccounts } from './accounts/account.ts';
import { mintKey } from './accounts/api-key.ts';
import { keyPepper } from './accounts/api-key-format.ts';
import { makeLink, revokeLinksMadeBy } from './accounts/link.ts';
import { recordAction } from './accounts/operator-actions.ts';
import { hasAdministrator } from './accounts/person.ts';
import { addressOfLink } from './api/people-views.ts';
import type { Database } from './database/database.ts';
import { openBalances, openBooks } from './ledger/books.ts';

const demoCredits = 10_000;
const tokenFile = 'admin-token';
/** As the audit log names it. */
const actor = 'first start';

/** Given, or made once and kept in the home folder, readable by its owner only. */
export function adminToken(home: string, given: string | null): string {
  if (given !== null) return given;
  const path = join(home, tokenFile);
  try {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept.length >= 32) return kept;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const made = `vg_admin_${randomBytes(32).toString('base64url')}`;
  try {
    writeFileSync(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    // Another process that shares the home was faster: its token is the token.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}

/** The demo account's first key, or null when this is not the first start. */
export async function makeDemoAccount(db: Database, secret: string): Promise<string | null> {
  const { items } = await listAccounts(db, { limit: 1 });
  if (items.length > 0) return null;
  return await db.transaction(async (tx) => {
    const account = await createAccount(tx, { name: 'Demo', demo: true });
    await openBalances(tx, account.id);
    const purses = (['live', 'test'] as const).map((mode) => ({ accountId: account.id, mode }));
    const books = await openBooks(tx, purses);
    for (const purse of purses) {
      books.grant(purse, { amount: demoCredits, note: 'Demo credits', reference: null });
    }
    await books.write();
    const { key } = await mintKey(tx, {
      pepper: keyPepper(secret),
      accountId: account.id,
      mode: 'live',
      name: 'Demo key',
      createdBy: actor,
    });
    await recordAction(tx, { actor, action: 'account.create', subject: account.id });
    return key;
  });
}

/**
 * Where the first administrator begins, or null once there is one. Each start until then makes a
 * new link, and the one printed before it no longer works.
 */
export async function makeFirstLink(db: Database, publicUrl: string): Promise<string | null> {
  if (await hasAdministrator(db)) return null;
  const link = await db.transaction(async (tx) => {
    await revokeLinksMadeBy(tx, actor);
    const made = await makeLink(tx, { purpose: 'administrator', madeBy: actor });
    await recordAction(tx, { actor, action: 'administrator.invite', subject: made.id });
    return made;
  });
  return addressOfLink(publicUrl, link);
}

/** One undecorated line with the literal key: it can be pasted, and scripts can find it. */
export function curlLine(publicUrl: string, key: string): string {
  const body = JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea' },
  });
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
  const flags = headers.map((header) => `-H '${header}'`).join(' ');
  return `curl ${publicUrl}/v1/videos/generations ${flags} -d '${body}'`;
}
