import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../proof/kit/seed.ts';
import { recordUse, requireQuota } from './account-quota.ts';

const { db } = await useDatabase();

const rules = {
  purpose: 'tries',
  limit: 3,
  windowSeconds: 60,
  label: '3 tries per minute and account',
};

async function tryOnce(accountId: string, change: object = {}): Promise<ApiError | null> {
  const quota = { accountId, ...rules, ...change };
  try {
    await db.transaction(async (tx) => {
      await requireQuota(tx, quota);
      await recordUse(tx, quota);
    });
    return null;
  } catch (error) {
    assert(error instanceof ApiError);
    return error;
  }
}

test('never exceeds the limit under concurrency, and the error says how long to wait', async () => {
  const { accountId } = await seedAccount(db);
  const tries = await Promise.all(Array.from({ length: 8 }, () => tryOnce(accountId)));
  const rejections = tries.filter((error) => error !== null);
  assert.equal(rejections.length, 5);
  for (const { code, message, details } of rejections) {
    assert.equal(code, 'rate_limited');
    assert.match(message, /^Limit of 3 tries per minute and account exceeded; retry in /);
    assert(details.retryAfter! >= 1 && details.retryAfter! <= 60, String(details.retryAfter));
  }
});

test('a check alone uses nothing, and a use is freed after the window', async () => {
  const { accountId } = await seedAccount(db);
  const quota = { accountId, ...rules };
  for (let count = 0; count < 5; count++) {
    await db.transaction((tx) => requireQuota(tx, quota));
  }
  for (let count = 0; count < 3; count++) assert.equal(await tryOnce(accountId), null);
  await db.query(
    `update account_windows set stamps[1] = stamps[1] - interval '1 minute' where account_id = $1`,
    [accountId],
  );
  assert.equal(await tryOnce(accountId), null);
  assert(await tryOnce(accountId));
});
