/**
 * Previews of several accounts share one slot: none starves, and none is lost.
 * Thorough: `providers/preview/render-slots.test.ts` is in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startService } from '../kit/service.ts';

const renderer = fileURLToPath(new URL('../kit/fake-renderer.ts', import.meta.url));

const service = await startService({ renderer, environment: { VIDGEN_PREVIEW_SLOTS: '1' } });
after(() => service.close());

type Account = Awaited<ReturnType<typeof service.account>>;

async function create(account: Account, prompt: string, duration: number): Promise<string> {
  const input = { prompt, duration, resolution: '480p' };
  const { status, body } = await account.client.create({ model: 'vidgen-2-0-mini', input });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.taskId);
}

/** Resolves when `count` polls run: rendering, or waiting for the slot. */
async function waitForPolls(count: number): Promise<void> {
  const running = `select count(*) as polls from jobs where kind = 'poll' and lease_until > now()`;
  for (;;) {
    const { rows } = await service.db.query<{ polls: number }>(running);
    if (rows[0]!.polls >= count) return;
    await pause(20);
  }
}

test('an account with many long videos does not block another with a short one', async () => {
  const busy = await service.account({ live: 1_000 });
  const other = await service.account({ live: 1_000 });
  const first = await create(busy, 'hang', 4);
  await waitForPolls(1);
  const long = await Promise.all([15, 14, 13, 12, 11].map((long) => create(busy, 'long', long)));
  const short = await create(other, 'short', 4);
  await waitForPolls(7);
  await busy.client.post(`/v1/tasks/${first}/cancel`);
  const all = [...long, short];
  for (const id of all) {
    const owner = id === short ? other : busy;
    assert.equal((await owner.client.final(id)).status, 'completed');
  }
  const { rows } = await service.db.query<{ id: string }>(
    `select id from tasks where status = 'completed' order by finished_at`,
  );
  // The poll that was already running when the slot became free may come first.
  const served = rows.map(({ id }) => id);
  const [next, ...rest] = served[0] === short ? served : served.slice(1);
  assert.equal(next, short, `served as number ${served.indexOf(short) + 1}`);
  const shortest = long.findLast((id) => rest.includes(id));
  assert.equal(rest[0], shortest, 'the shortest of the busy account came first');
  await service.assertInvariants();
});
