/** The summary and the system page: correct, and without secrets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SummaryResponse, SystemResponse } from '@vidgen/contract/admin-system.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { testAdminToken } from '../../../proof/kit/service.ts';
import { readConfig } from '../../config/config.ts';
import { version } from '../../config/version.ts';
import { describeProcess } from './process-info.ts';

const journey = await useJourney();

const summary = async () =>
  SummaryResponse.parse((await journey.service.admin.get('/admin/summary')).body);

test('the summary counts unfinished work', async () => {
  const counts = { refunds_waiting: 0, queued: 0, generating: 0, calls_waiting: 0 };
  const nothing = { ...counts, no_provider: false };
  assert.deepEqual(await summary(), nothing);
  const { service, receiver } = journey;
  const account = await service.account({ live: 100 });
  // Without a worker, so that tasks keep their status.
  await service.parts.worker?.stop();
  const { body } = await account.client.create({ ...textToVideo, callback_url: receiver.url });
  await account.client.create(textToVideo);
  assert.deepEqual(await summary(), { ...nothing, queued: 2 });
  await service.admin.post(`/admin/accounts/${account.id}/close`);
  await service.admin.post(`/admin/tasks/${body.taskId}/cancel`);
  const expected = { ...nothing, queued: 1, refunds_waiting: 1, calls_waiting: 1 };
  assert.deepEqual(await summary(), expected);
});

test('the system page shows version, engine, queue and storage', async () => {
  const { body } = await journey.service.admin.get('/admin/system');
  const system = SystemResponse.parse(body);
  assert.deepEqual(
    [system.version, system.engine, system.role, system.node],
    [version, 'embedded', 'all', process.version],
  );
  assert.equal(system.public_url, journey.service.url);
  assert.match(system.database.version, /^\d+/);
  assert(system.database.bytes > 0 && system.memory_bytes > 0);
  const [tasks, ledger] = ['tasks', 'ledger_entries'].map((name) =>
    system.tables.find((table) => table.name === name),
  );
  assert(tasks!.bytes > 0 && tasks!.oldest_at! >= ledger!.oldest_at! - 1);
  assert.equal(system.tables.find(({ name }) => name === 'jobs')!.oldest_at, null);
  let text = '';
  // The first scrape begins to read the tables.
  while (!text.includes('vidgen_table_bytes{')) {
    text = await (await fetch(`${journey.service.url}/metrics`)).text();
  }
  for (const name of ['bytes', 'rows', 'dead_rows', 'oldest_timestamp_seconds']) {
    assert.match(text, new RegExp(`^vidgen_table_${name}{table="tasks"} \\d`, 'm'));
  }
  assert.doesNotMatch(text, /vidgen_table_oldest_timestamp_seconds{table="jobs"}/);
  const submit = system.queue.find(({ kind }) => kind === 'submit');
  assert.equal(submit?.due, 1);
  assert.equal(system.storage.bytes, 0);
  assert(system.storage.free_bytes! > 0);
  assert(system.settings.some(({ name }) => name === 'VIDGEN_RESULT_TTL'));
  const shown = JSON.stringify(body);
  for (const secret of [testAdminToken, 'a secret that only tests know']) {
    assert(!shown.includes(secret));
  }
});

test('shows the URL of another database without its password', () => {
  const config = readConfig({
    VIDGEN_DATABASE_URL: 'postgres://me:hunter2@db.example.test:5432/vidgen?password=hunter2',
    VIDGEN_ADMIN_TOKEN: 'hunter2'.repeat(5),
  });
  const { engine, settings: shown } = describeProcess(config);
  assert.equal(engine, 'postgres');
  const settings = new Map(shown.map(({ name, value }) => [name, value]));
  assert.equal(settings.get('VIDGEN_DATABASE_URL'), 'postgres://db.example.test:5432/vidgen');
  assert.equal(settings.get('VIDGEN_ADMIN_TOKEN'), 'set');
  assert(!JSON.stringify([...settings]).includes('hunter2'));
});
