import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { announceProcess, createWorkerWatch } from './processes.ts';

test('the end of the last worker is logged once, and its return', async (t) => {
  const { db, close } = await openScratchDatabase();
  t.after(close);
  const lines: string[] = [];
  const add = (line: unknown) => void lines.push(String(line));
  const watch = createWorkerWatch(db, { info: add, warn: add });
  const rest = { providers: [], routes: {}, storageId: 'one', health: [] };
  await announceProcess(db, { id: randomUUID(), role: 'api', ...rest });
  await watch();
  await watch();
  await announceProcess(db, { id: randomUUID(), role: 'worker', ...rest });
  await watch();
  await db.query(
    `update processes set seen_at = now() - interval '2 minutes' where role = 'worker'`,
  );
  await watch();
  const gone = 'no worker is running, tasks wait for one';
  assert.deepEqual(lines, [gone, 'a worker is running again', gone]);
});
