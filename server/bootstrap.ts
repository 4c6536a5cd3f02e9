/**
 * What the very first start leaves behind: an admin token, a link that makes the first
 * administrator, and on the embedded engine a demo account with credits, so that the curl line it
 * prints works as it is.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, listAccounts } from './accounts/account.ts';
import { createApiKey } from './accounts/api-key.ts';
import { keyPepper } from './accounts/api-key-format.ts';
import { recordAudit } from './accounts/audit-log.ts';
import { createLink, revokeBootstrapLinks } from './accounts/one-time-link.ts';
import { hasAdministrator } from './accounts/person.ts';
import { linkUrl } from './api/people/views.ts';
import type { Database } from './database/database.ts';
import { createBalances, lockBalances } from './ledger/ledger.ts';

const demoCredits = 10_000;
const tokenFile = 'admin-token';
/** As the audit log names it. */
const actor = 'first start';

/** Given, or made once and kept in the home folder, readable by its owner only. */
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
    // Another process that shares the home was faster: its token is the token.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}

/** The demo account's first key, or null when this is not the first start. */
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
 * Where the first administrator begins, or null once there is one. Each start until then makes a
 * new link, and the one printed before it no longer works.
 */
export async function createBootstrapLink(db: Database, publicUrl: string): Promise<string | null> {
  if (await hasAdministrator(db)) return null;
  const link = await db.transaction(async (tx) => {
    await revokeBootstrapLinks(tx, actor);
    const created = await createLink(tx, { purpose: 'administrator', createdBy: actor });
    await recordAudit(tx, { actor, action: 'administrator.invite', subject: created.id });
    return created;
  });
  return linkUrl(publicUrl, link);
}

/** One undecorated line with the literal key: it can be pasted, and scripts can find it. */
export function curlCommand(publicUrl: string, key: string): string {
  const body = JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea' },
  });
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
  const flags = headers.map((header) => `-H '${header}'`).join(' ');
  return `curl ${publicUrl}/v1/videos/generations ${flags} -d '${body}'`;
}
