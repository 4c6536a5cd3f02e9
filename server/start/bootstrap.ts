/**
 * What the first run creates: an admin token, a link for the first administrator, and in its own
 * database a demo account with credits, so that the printed curl command works as it is.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyModes } from '@vidgen/contract/models.ts';
import { createAccount } from '../accounts/account.ts';
import { recordAudit } from '../accounts/audit-log.ts';
import { createApiKey } from '../accounts/keys/api-key.ts';
import { keyPepper } from '../accounts/keys/api-key-format.ts';
import {
  bootstrapActor as actor,
  createLink,
  linkUrl,
  revokeBootstrapLinks,
} from '../accounts/people/one-time-link.ts';
import { hasAdministrator } from '../accounts/people/person.ts';
import { listAccounts } from '../accounts/search-accounts.ts';
import type { Database } from '../database/database.ts';
import { createBalances, lockBalances } from '../ledger/ledger.ts';
import { syncFolder } from '../process/sync-folder.ts';

const demoCredits = 10_000;
const tokenFile = 'admin-token';
const tokenCharactersMin = 32;
/** An arbitrary number that every process uses. */
const demoLock = 7_416_030_130;

/**
 * Returns the configured token, or one generated once and stored in the home directory, readable
 * only by its owner.
 */
export function loadAdminToken(home: string, configured: string | null): string {
  if (configured !== null) return configured;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, tokenFile);
  return readToken(path) ?? storeToken(path, `vg_admin_${randomBytes(32).toString('base64url')}`);
}

function readToken(path: string): string | null {
  try {
    const stored = readFileSync(path, 'utf8').trim();
    return stored.length >= tokenCharactersMin ? stored : null;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    return null;
  }
}

/** Written beside its place and synced: a power cut would leave an empty file, and no token. */
function storeToken(path: string, token: string): string {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${token}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch {
    // Another process with the same home directory was faster, so its token is used. Otherwise the
    // file is damaged, or the file system has no links.
    const stored = readToken(path);
    if (stored !== null) return stored;
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  return token;
}

/** Returns the demo account's API key, or null if this is not the first run. */
export async function createDemoAccount(db: Database, secret: string): Promise<string | null> {
  return await db.transaction(async (tx) => {
    // Processes that share a home directory may start together.
    await tx.query('select pg_advisory_xact_lock($1)', [demoLock]);
    const { items } = await listAccounts(tx, { limit: 1 });
    if (items.length > 0) return null;
    const { id: accountId } = await createAccount(tx, { name: 'Demo', demo: true });
    await createBalances(tx, accountId);
    const balanceKeys = keyModes.map((mode) => ({ accountId, mode }));
    const ledger = await lockBalances(tx, balanceKeys);
    for (const balanceKey of balanceKeys) {
      ledger.grant(balanceKey, { amount: demoCredits, note: 'Demo credits', reference: null });
    }
    await ledger.flush();
    const { key } = await createApiKey(tx, {
      pepper: keyPepper(secret),
      accountId,
      mode: 'live',
      name: 'Demo key',
      createdBy: actor,
    });
    await recordAudit(tx, { actor, action: 'account.create', subject: accountId });
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
