/**
 * Mail through a real mail server: invitations and password links arrive, once, and reveal nothing
 * about who has a login.
 * Thorough: a mail server and several services.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertApiError } from '../kit/assert-api-error.ts';
import { followLink, newAdministrator, openBrowserSession } from '../kit/people.ts';
import { pluck } from '../kit/pluck.ts';
import { startService } from '../kit/service.ts';
import { mailEnvironment, type ReceivedMail, startSmtpReceiver } from '../kit/smtp-receiver.ts';
import { waitUntil } from '../kit/wait-until.ts';

const smtp = await startSmtpReceiver();
const service = await startService({ environment: mailEnvironment(smtp) });
after(async () => {
  await service.close();
  await smtp.close();
});

const { url, admin, db } = service;
const linkIn = ({ text = '' }: ReceivedMail): string => /http\S+#\S+/.exec(text)![0];
const rowsTo = async (recipient: string) =>
  (
    await db.query(
      'select status, attempts, content, last_error from outbox where recipient = $1',
      [recipient],
    )
  ).rows;
const waitForError = (recipient: string) =>
  waitUntil(async () => (await rowsTo(recipient))[0]?.last_error);
/** Makes everything due now, instead of after its delay. */
const sendNow = async () => {
  await db.query(`update outbox set run_at = now() where status = 'waiting'`);
  await db.query(`select pg_notify('vidgen_outbox', '')`);
};

test('an invitation arrives by mail, and its link works', async () => {
  const { id } = await service.account({ name: 'Acme Studio' });
  const request = { role: 'developer', email: 'ada@example.org' };
  const { status, body } = await admin.post(`/admin/accounts/${id}/invitations`, request);
  assert.deepEqual([status, body.emailed, body.email], [201, true, 'ada@example.org']);
  const [mail] = await smtp.waitForMails('ada@example.org');
  assert.equal(mail!.subject, 'You’re invited to join Acme Studio');
  assert.equal(linkIn(mail!), body.link);
  assert.match(mail!.html!, new RegExp(`href="${body.link}"`));
  assert.deepEqual(mail!.from, { address: 'no-reply@example.com', name: 'Paper Boat' });
  assert.ok(mail!.isEncrypted);
  const guest = await followLink(url, linkIn(mail!), { email: 'ada@example.org' });
  assert.equal((await guest.get(`/admin/accounts/${id}`)).status, 200);
  const [row] = await waitUntil(async () => {
    const rows = await rowsTo('ada@example.org');
    return rows[0]?.status === 'sent' && rows;
  });
  assert.deepEqual(row, { status: 'sent', attempts: 1, content: null, last_error: null });
});

test('a waiting mail is unreadable, and is sent once when the server is back', async () => {
  const down = await startSmtpReceiver();
  await using other = await startService({ environment: mailEnvironment(down) });
  await down.close();
  const person = await newAdministrator(other);
  const path = `/admin/people/${person.personId}/password-link`;
  const { body } = await other.admin.post(path);
  const read = async () =>
    (await other.db.query('select content, attempts, last_error from outbox')).rows[0]!;
  const failed = await waitUntil(async () => {
    const row = await read();
    return row.last_error !== null && row;
  });
  assert.match(String(failed.last_error), /ECONNREFUSED|ESOCKET/);
  const token = String(body.link).split('#')[1]!;
  assert.ok(!(failed.content as Buffer).includes(token));
  await using back = await startSmtpReceiver({ port: down.port });
  await other.db.query(`update outbox set run_at = now()`);
  await other.db.query(`select pg_notify('vidgen_outbox', '')`);
  const [mail] = await back.waitForMails(person.email);
  assert.equal(linkIn(mail!), body.link);
  await waitUntil(async () => (await read()).content === null);
  assert.equal(back.mails.length, 1);
});

test('a mail is sent again after a lost response, with the same Message-ID', async () => {
  const { id } = await service.account();
  const request = { role: 'viewer', email: 'twice@example.org' };
  smtp.loseNextResponse();
  await admin.post(`/admin/accounts/${id}/invitations`, request);
  await waitForError('twice@example.org');
  await sendNow();
  const [first, second] = await smtp.waitForMails('twice@example.org', 2);
  assert.match(first!.messageId!, /^<mail_[0-9a-v]{26}@example\.com>$/);
  assert.equal(second!.messageId, first!.messageId);
});

test('a mail that is refused for now is retried, and one refused for good is not', async () => {
  const { id } = await service.account();
  const invite = (email: string) =>
    admin.post(`/admin/accounts/${id}/invitations`, { role: 'viewer', email });
  smtp.rejectWith(451);
  await invite('grey@example.org');
  await waitForError('grey@example.org');
  smtp.rejectWith(null);
  await sendNow();
  await smtp.waitForMails('grey@example.org');
  smtp.rejectWith(550);
  await invite('gone@example.org');
  const failed = await waitUntil(async () => {
    const rows = await rowsTo('gone@example.org');
    return rows[0]?.status === 'failed' && rows;
  });
  smtp.rejectWith(null);
  assert.deepEqual([failed[0]!.attempts, failed[0]!.content], [1, null]);
  const { body } = await admin.get('/admin/notice-settings');
  assert.equal(body.mails_failed, 1);
  assert.match(String(body.last_mail_error), /EENVELOPE/);
});

test('a revoked invitation is not sent', async () => {
  const { id } = await service.account();
  smtp.rejectWith(451);
  const request = { role: 'owner', email: 'revoked@example.org' };
  const { body } = await admin.post(`/admin/accounts/${id}/invitations`, request);
  await waitForError('revoked@example.org');
  await admin.send('DELETE', `/admin/accounts/${id}/invitations/${body.id}`);
  smtp.rejectWith(null);
  await sendNow();
  await waitUntil(async () => (await rowsTo('revoked@example.org'))[0]?.status === 'cancelled');
  assert.ok(!smtp.mails.some(({ recipients }) => recipients.includes('revoked@example.org')));
});

test('a password is reset by mail, and unknown addresses get the same response', async () => {
  const { id } = await service.account();
  const { body } = await admin.post(`/admin/accounts/${id}/invitations`, { role: 'viewer' });
  const profile = { email: 'Forgetful@example.org' };
  const { personId } = await followLink(url, String(body.link), profile);
  const visitor = openBrowserSession(url);
  const forgot = (email: string) => visitor.post('/session/forgot', { email });
  const unknown = await forgot('nobody@example.org');
  // Another address by its bytes, the same after normalization: the mail goes to the stored one.
  const known = await forgot('ｆorgetful@EXAMPLE.org');
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
  assert.equal(known.status, 204);
  const [mail] = await smtp.waitForMails('Forgetful@example.org');
  const password = 'a kite of rice paper';
  const token = linkIn(mail!).split('#')[1];
  assert.match(linkIn(mail!), /\/dashboard\/reset#/);
  assert.equal((await visitor.post('/links/use', { token, password })).status, 201);
  const again = await visitor.post('/links/use', { token, password });
  assertApiError(again, 'not_found', /has been used/);
  await waitUntil(async () => (await rowsTo('nobody@example.org')).length === 0);
  const log = await service.auditLog(personId);
  const entries = log.filter(({ action }) => action === 'person.forgot_password');
  assert.deepEqual(pluck(entries, 'actor'), ['sign-in page']);
});

test('a person of a provider that this process does not know gets no link', async () => {
  const { email, personId } = await newAdministrator(service);
  await db.query(
    'insert into identities (issuer, subject, person_id) values ($1, $2::text, $2::uuid)',
    ['https://id.example/', personId],
  );
  await openBrowserSession(url).post('/session/forgot', { email });
  const [mail] = await smtp.waitForMails(email);
  assert.equal(mail!.subject, 'You sign in with single sign-on');
  assert.doesNotMatch(mail!.text ?? '', /#/);
});

test('requests for password links are limited by address, known or not', async () => {
  const visitor = openBrowserSession(url);
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    const { status } = await visitor.post('/session/forgot', { email: 'flood@example.org' });
    statuses.push(status);
  }
  assert.deepEqual(statuses, [204, 204, 204, 429]);
});

test('without SMTP the link is only shown', async () => {
  await using plain = await startService();
  const { id } = await plain.account();
  const request = { role: 'viewer', email: 'shown@example.org' };
  const { status, body } = await plain.admin.post(`/admin/accounts/${id}/invitations`, request);
  assert.deepEqual([status, body.emailed], [201, false]);
  assert.equal((await plain.db.query('select from outbox')).rowCount, 0);
  const visitor = openBrowserSession(plain.url);
  const response = await visitor.post('/session/forgot', { email: 'shown@example.org' });
  assertApiError(response, 'invalid_request', /sends no email/);
});
