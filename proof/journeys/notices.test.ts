/**
 * Notices: one for each crossing however many processes observe it, shown to those it concerns,
 * sent by mail and to the operator's webhook.
 * Thorough: a mail server and two processes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'svix';
import {
  noticeFailingEndpoint,
  watchBalances,
  watchBreakers,
  watchEndpoints,
} from '../../server/lifecycle/notices/watch-conditions.ts';
import { raiseNotice } from '../../server/messages/notice.ts';
import { assertApiError } from '../kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../kit/journey.ts';
import { newAdministrator, newMember } from '../kit/people.ts';
import { pluck } from '../kit/pluck.ts';
import { composeSecond } from '../kit/second-process.ts';
import { mailEnvironment, startSmtpReceiver } from '../kit/smtp-receiver.ts';
import { waitUntil } from '../kit/wait-until.ts';

const smtp = await startSmtpReceiver();
const { service, receiver } = await useJourney({ environment: mailEnvironment(smtp) });
const { admin, db } = service;
const administrator = await newAdministrator(service);
after(() => smtp.close());

type Listed = { id: string; kind: string; account_id: string | null; resolved_at: number | null };
const listed = async (session: Pick<typeof administrator, 'get'>) => {
  const { status, body } = await session.get('/notices?limit=100');
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as { items: Listed[]; unread: number; read_up_to: string | null };
};
const ofAccount = async (accountId: string) =>
  (await db.query<Listed>('select * from notices where account_id = $1 order by id', [accountId]))
    .rows;
const grant = (id: string, amount: number) =>
  admin.post(`/admin/accounts/${id}/credits`, { amount, mode: 'live', note: 'for a test' });

test('a low balance is reported once per crossing by two processes', async () => {
  await using second = await composeSecond(service, { environment: mailEnvironment(smtp) });
  const watchTogether = () =>
    Promise.all([watchBalances(db), watchBalances(second.db), watchBalances(db)]);
  const { id, client } = await service.account({ live: 100, name: 'Acme' });
  const owner = await newMember(service, { accountId: id, role: 'owner' });
  const path = `/admin/accounts/${id}/balance-alert`;
  assert.deepEqual((await owner.get(path)).body, { threshold: null });
  const alertBelow = async (low_balance: number) => {
    const { status } = await owner.send('PATCH', `/admin/accounts/${id}`, { low_balance });
    assert.equal(status, 200);
  };
  await alertBelow(99);
  await watchTogether();
  assert.deepEqual(await ofAccount(id), []);

  await client.run(textToVideo);
  await watchTogether();
  await watchTogether();
  const [first, ...others] = await ofAccount(id);
  assert.deepEqual([first!.kind, first!.resolved_at, others.length], ['low_balance', null, 0]);
  const [mail, ...repeats] = await smtp.waitForMails(owner.email);
  assert.equal(mail!.subject, 'Low balance: Acme');
  assert.match(mail!.text!, /Acme had \d+ credits left, below the alert at 99 credits/);
  assert.equal(repeats.length, 0);

  await grant(id, 100);
  await watchTogether();
  assert.notEqual((await ofAccount(id))[0]!.resolved_at, null);
  await alertBelow(500);
  await watchTogether();
  assert.equal((await ofAccount(id)).length, 2);
  await waitUntil(async () => {
    const { rows } = await db.query('select from notices where announced_at is null');
    return rows.length === 0;
  });
  // A balance that goes up and down is in the list each time, and in the mailbox once an hour.
  assert.equal((await smtp.waitForMails(owner.email)).length, 1);
});

test('members see notices of their accounts, former members none, administrators all', async () => {
  const account = await service.account({ name: 'Seen' });
  const stranger = await service.account();
  const member = await newMember(service, { accountId: account.id, role: 'viewer' });
  const outsider = await newMember(service, { accountId: stranger.id, role: 'owner' });
  await db.transaction(async (tx) => {
    const cap = { key_id: 'key_1', key_name: 'Batch', cap: 500, period: 'month' };
    const key = { accountId: account.id, subject: 'key_1 2026-11' };
    await raiseNotice(tx, { kind: 'key_cap_reached', ...key, detail: cap });
    assert.equal(await raiseNotice(tx, { kind: 'key_cap_reached', ...key, detail: cap }), false);
  });
  await watchBreakers(db, [{ provider: 'fal', breaker: 'open', lastError: null }]);

  const seen = await listed(member);
  assert.deepEqual(pluck(seen.items, 'kind'), ['key_cap_reached']);
  assert.equal(seen.unread, 1);
  assert.deepEqual((await listed(outsider)).items, []);
  const all = await listed(administrator);
  assert.ok(all.items.some(({ kind }) => kind === 'provider_breaker_open'));
  const { id } = seen.items[0]!;
  assert.ok(all.items.some((notice) => notice.id === id));

  assertApiError(await outsider.post(`/notices/${id}/dismiss`), 'not_found', /No notice/);
  assert.equal((await member.post('/notices/read', { up_to: id })).status, 204);
  assert.equal((await listed(member)).unread, 0);
  const left = await newMember(service, { accountId: account.id, role: 'developer' });
  assert.equal((await listed(left)).items.length, 1);
  await admin.send('DELETE', `/admin/accounts/${account.id}/members/${left.personId}`);
  assert.deepEqual((await listed(left)).items, []);
  for (const _again of [1, 2]) {
    assert.equal((await member.post(`/notices/${id}/dismiss`)).status, 204);
  }
  assert.deepEqual((await listed(member)).items, []);
  assert.ok((await listed(administrator)).items.some((notice) => notice.id === id));
});

test('a breaker that opens again is one notice, which ends when it stays closed', async () => {
  const observe = (breaker: 'open' | 'half-open' | 'closed') =>
    watchBreakers(db, [{ provider: 'wavering', breaker, lastError: null }]);
  const rows = async () =>
    (await db.query(`select resolved_at from notices where subject = 'wavering'`)).rows;
  await observe('open');
  await observe('half-open');
  await observe('open');
  // Another process, whose breaker is closed.
  await observe('closed');
  assert.deepEqual(await rows(), [{ resolved_at: null }]);
  await db.query(`update notices set seen_at = now() - interval '1 hour'`);
  await observe('closed');
  assert.notEqual((await rows())[0]!.resolved_at, null);
});

test('an endpoint that fails three webhooks in a row is reported, until one arrives', async () => {
  const { id, client } = await service.account({ live: 1000 });
  const url = `${receiver.url}/failing?token=secret`;
  const before = receiver.webhooks.length;
  const deliver = () => client.run({ ...textToVideo, callback_url: url });
  for (let count = 1; count <= 4; count++) await deliver();
  await receiver.waitForWebhooks(before + 4);
  await waitUntil(async () => {
    const { rowCount } = await db.query(
      `select from deliveries where account_id = $1 and status = 'delivered'`,
      [id],
    );
    return rowCount === 4;
  });
  const exhaust = (count: number) =>
    db.query(
      `update deliveries set status = 'exhausted', delivered_at = null where id in (
         select id from deliveries where account_id = $1 order by id desc limit $2)`,
      [id, count],
    );
  await exhaust(2);
  await noticeFailingEndpoint(db, { accountId: id, url });
  assert.deepEqual(await ofAccount(id), []);
  await exhaust(3);
  await Promise.all([1, 2].map(() => noticeFailingEndpoint(db, { accountId: id, url })));
  const [notice, ...others] = await ofAccount(id);
  assert.deepEqual([notice!.kind, others.length], ['webhook_failing', 0]);
  const { rows } = await db.query('select detail from notices where id = $1', [notice!.id]);
  assert.ok(!JSON.stringify(rows).includes('secret'));
  await watchEndpoints(db);
  assert.equal((await ofAccount(id))[0]!.resolved_at, null);
  await deliver();
  await receiver.waitForWebhooks(before + 5);
  await waitUntil(async () => {
    await watchEndpoints(db);
    return (await ofAccount(id))[0]!.resolved_at !== null;
  });
});

test('the operator’s webhook receives notices, signed with its own secret', async () => {
  const path = '/admin/notice-settings';
  const refused = await admin.post(path, { webhook_url: 'https://10.0.0.1/hook' });
  assertApiError(refused, 'invalid_request', /^webhook_url must/);
  const { status, body } = await admin.post(path, { webhook_url: `${receiver.url}/notices` });
  assert.deepEqual([status, body.webhook_url_source], [200, 'dashboard']);
  const { id: accountId } = await service.account({ name: 'Signed' });
  const detail = { available: 5, threshold: 10 };
  await db.transaction((tx) =>
    raiseNotice(tx, { kind: 'low_balance', accountId, subject: '', detail }),
  );
  const webhook = await waitUntil(() =>
    receiver.webhooks.find(({ raw }) => raw.includes('notice.raised') && raw.includes(accountId)),
  );
  const headers = webhook.headers as Record<string, string>;
  new Webhook(String(body.webhook_secret)).verify(webhook.raw, headers);
  const { data } = webhook.body as unknown as { data: { kind: string; title: string } };
  assert.deepEqual([data.kind, data.title], ['low_balance', 'Low balance: Signed']);
  await admin.post(path, { webhook_url: null });
  const { body: log } = await admin.get('/admin/audit-log?limit=100');
  const actions = (log.items as { action: string }[]).map(({ action }) => action);
  assert.equal(actions.filter((action) => action === 'notice_webhook.set').length, 2);
});
