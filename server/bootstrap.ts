/**
 * What the first run creates: an admin token, a link for the first administrator, and on the
 * embedded engine a demo account with credits, so that the printed curl command works as it is.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, listAccounts } from './accounts/account.ts';
import { createApiKey } from './accounts/api-key.ts';
import { keyPepper } from './accounts/api-key-format.ts';
import { recordAudit } from './accounts/audit-log.ts';
import {
  bootstrapActor as actor,
  createLink,
  revokeBootstrapLinks,
} from './accounts/one-time-link.ts';
import { hasAdministrator } from './accounts/person.ts';
import { linkUrl } from './api/people/views.ts';
import type { Database } from './database/database.ts';
import { createBalances, lockBalances } from './ledger/ledger.ts';

const demoCredits = 10_000;
const tokenFile = 'admin-token';

/**
 * Returns the configured token, or one generated once and stored in the home directory, readable
 * only by its owner.
 */
export function loadAdminToken(home: string, configured: string | null): string {
  if (configured !== null) return configured;
  const path = join(home, tokenFile);
  try {
    const stored = readFileSync(path, 'utf8').trim();
    if (stored.length >= 32) return stored;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const token = `vg_admin_${randomBytes(32).toString('base64url')}`;
  try {
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    // Another process with the same home directory was faster, so its token is used.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}

/** Returns the demo account's API key, or null if this is not the first run. */
export async function createDemoAccount(db: Database, secret: string): Promise<string | null> {
  const { items } = await listAccounts(db, { limit: 1 });
  if (items.length > 0) return null;
  return await db.transaction(async (tx) => {
    const account = await createAccount(tx, { name: 'Demo', demo: true });
    await createBalances(tx, account.id);
    const balanceKeys = (['live', 'test'] as const).map((mode) => ({
      accountId: account.id,
      mode,
    }));
    const ledger = await lockBalances(tx, balanceKeys);
    for (const balanceKey of balanceKeys) {
      ledger.grant(balanceKey, { amount: demoCredits, note: 'Demo credits', reference: null });
    }
    await ledger.flush();
    const { key } = await createApiKey(tx, {
      pepper: keyPepper(secret),
      accountId: account.id,
      mode: 'live',
      name: 'Demo key',
      createdBy: actor,
    });
    await recordAudit(tx, { actor, action: 'account.create', subject: account.id });
    return key;
  });
}

/**
 * Returns a link for the first administrator, or null if there is one. Each start creates a new
 * link and revokes the previous one.
 */
export async function createBootstrapLink(db: Database, publicUrl: string): Promise<string | null> {
  if (await hasAdministrator(db)) return null;
  const link = await db.transaction(async (tx) => {
    await revokeBootstrapLinks(tx);
    const created = await createLink(tx, { purpose: 'administrator', createdBy: actor });
    await recordAudit(tx, { actor, action: 'administrator.invite', subject: created.id });
    return created;
  });
  return linkUrl(publicUrl, link);
}

/** One undecorated line with the literal key, so that it can be pasted and scripts can find it. */
export function curlCommand(publicUrl: string, key: string): string {
  const body = JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea' },
  });
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
  const flags = headers.map((header) => `-H '${header}'`).join(' ');
  return `curl ${publicUrl}/v1/videos/generations ${flags} -d '${body}'`;
}
