/**
 * A person hears by mail of every change of their login: the password, the second factor and a
 * linked identity.
 * Thorough: a mail server and an OpenID provider.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAuthenticator } from '../kit/authenticator.ts';
import { startOpenIdFixture } from '../kit/openid-fixture.ts';
import { newLink, newMember, openBrowserSession, testPassword } from '../kit/people.ts';
import { mailEnvironment, type ReceivedMail, startSmtpReceiver } from '../kit/smtp-receiver.ts';

const smtp = await startSmtpReceiver();
const fixture = await startOpenIdFixture({
  environment: { ...mailEnvironment(smtp), VIDGEN_ROLE: 'all', VIDGEN_OIDC_NAME: 'paper ID' },
});
const { service, url, accountId, linkedMember, newLogin, signIn } = fixture;
after(async () => {
  await fixture.close();
  await smtp.close();
});

/** The subject and first paragraph of the mail that comes after `count` others. */
async function nextMail(recipient: string, count: number): Promise<[string, string]> {
  const mails = await smtp.waitForMails(recipient, count + 1);
  const { subject = '', text = '' }: Partial<ReceivedMail> = mails[count]!;
  assert.match(text, new RegExp(`^Open your profile:\n${url}/dashboard/profile$`, 'm'));
  assert.match(text, /If this wasn’t you/);
  assert.doesNotMatch(text, /#/);
  return [subject, text.split('\n\n')[0]!];
}

test('every change of the second factor is mailed', async () => {
  const person = await newMember(service, { accountId, role: 'viewer' });
  const { email, personId } = person;
  const { body } = await person.post('/session/second-factor');
  const app = openAuthenticator(service.db, body.secret as string);
  const path = '/session/second-factor';
  assert.equal((await person.post(`${path}/enable`, { code: '000000' })).status, 401);
  assert.equal((await person.post(`${path}/enable`, { code: app.codeAt(0) })).status, 200);
  assert.deepEqual(await nextMail(email, 0), [
    'Two-factor authentication was turned on',
    'Two-factor authentication was turned on for your vidgen login. A sign-in with your ' +
      'password now asks for a code.',
  ]);
  const replaced = await person.post(`${path}/recovery-codes`, { code: await app.code() });
  const [code] = replaced.body.codes as string[];
  const [subject] = await nextMail(email, 1);
  assert.equal(subject, 'Your recovery codes were replaced');
  assert.ok(!smtp.mails.some(({ raw }) => raw.includes(code!)));
  assert.equal((await person.post(`${path}/disable`, { code })).status, 204);
  const [, off] = await nextMail(email, 2);
  assert.match(off, /^Two-factor authentication was turned off .* password alone now signs you in/);
  await person.post(path).then(async ({ body: again }) => {
    const next = openAuthenticator(service.db, again.secret as string);
    await person.post(`${path}/enable`, { code: await next.code() });
  });
  await nextMail(email, 3);
  const reset = `/admin/people/${personId}/reset-second-factor`;
  await service.admin.post(reset);
  assert.match((await nextMail(email, 4))[1], /^An administrator turned off two-factor/);
  // Nothing changes any more.
  await service.admin.post(reset);
  const passwords = { current_password: testPassword, new_password: 'a kite of rice paper' };
  await person.post('/session/password', passwords);
  assert.deepEqual(await nextMail(email, 5), [
    'Your password was changed',
    'The password of your vidgen login was changed. Other devices were signed out.',
  ]);
});

test('a reset of the password by link is mailed', async () => {
  const { email, personId } = await newMember(service, { accountId, role: 'viewer' });
  const token = await newLink(service.admin, `/admin/people/${personId}/password-link`);
  const [link] = await smtp.waitForMails(email);
  assert.equal(link!.subject, 'Reset your password');
  const request = { token, password: 'a kite of rice paper' };
  const visitor = openBrowserSession(url);
  assert.equal((await visitor.post('/links/use', request)).status, 201);
  assert.equal((await visitor.post('/links/use', request)).status, 404);
  const [subject, first] = await nextMail(email, 1);
  assert.equal(subject, 'Your password was changed');
  assert.match(first, /was changed with a reset link\. All devices .* were signed out\.$/);
});

test('a linked and an unlinked identity are mailed, a sign-in is not', async () => {
  const { guest, login } = await linkedMember();
  assert.deepEqual(await nextMail(guest.email, 0), [
    'Paper ID was linked to your login',
    `Paper ID, as ${login}@\u2060example.\u2060org, now signs you in to vidgen. Your password no ` +
      'longer does.',
  ]);
  await signIn(login);
  // A password link is requested meanwhile, and none is sent.
  const forgot = { email: guest.email };
  assert.equal((await openBrowserSession(url).post('/session/forgot', forgot)).status, 204);
  const [, told] = await smtp.waitForMails(guest.email, 2);
  assert.equal(told!.subject, 'You sign in with paper ID');
  assert.doesNotMatch(told!.text ?? '', /#/);
  const unlink = `/admin/people/${guest.personId}/unlink-identity`;
  await service.admin.post(unlink);
  const unlinked = await nextMail(guest.email, 2);
  assert.equal(unlinked[0], 'Single sign-on was unlinked from your login');
  assert.equal((await service.admin.post(unlink)).status, 200);
  const { login: stranger } = newLogin();
  assert.equal((await signIn(stranger)).path, '/sign-in?problem=uninvited');
  assert.equal((await smtp.waitForMails(guest.email, 3)).length, 3);
});
