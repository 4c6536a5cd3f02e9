/**
 * `login` and `listen` as real processes against the real service, and the progress bar.
 * Thorough: starts a process for each command.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'svix';
import { runCommandLine, startCommandLine, waitForOutput } from '../proof/kit/command-line.ts';
import { startJourney, textToVideo } from '../proof/kit/journey.ts';
import { newMember } from '../proof/kit/people.ts';
import { startReceiver } from '../proof/kit/receiver.ts';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { webhookBody } from './listen.mjs';
import { progressLine } from './wait.mjs';

const journey = await startJourney();
const { service } = journey;
after(() => journey.close());
const settings = makeTemporaryFolder('cli');

test('login stores a key for its owner alone after a member confirms the code', async () => {
  const account = await service.account({ test: 7, name: 'Paper Boat' });
  const developer = await newMember(service, { accountId: account.id, role: 'developer' });
  const child = startCommandLine(['login', '--json'], { url: service.url, settings });
  const output = new Promise<string>((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    child.on('close', () => resolve(text));
  });
  const [, code] = await waitForOutput(
    child.stderr,
    /confirm the code (\S+):\s+\S+login\?code=\S+\n/,
  );
  await developer.post(`/admin/accounts/${account.id}/logins`, { code, mode: 'test' });
  const { key, file, account_name: name } = JSON.parse(await output);
  assert.deepEqual([key, name], [undefined, 'Paper Boat']);
  assert.equal(file, join(settings, 'vidgen', 'keys.json'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(readFileSync(file, 'utf8'), /"vg_test_\w+"/);
  const credits = await runCommandLine(['credits'], { url: service.url, settings });
  assert.match(credits.stdout, /^available\t7\n/, credits.stderr);
});

test('login requests no key that it could not store', async () => {
  const file = join(settings, 'a file');
  writeFileSync(file, '');
  const { stderr, exit } = await runCommandLine(['login'], { url: service.url, settings: file });
  assert.equal(exit, 1);
  assert.match(stderr, /keys\.json cannot be written/);
  assert.doesNotMatch(stderr, /confirm the code/);
});

test('listen forwards what the service sends, signed with the secret that it prints', async () => {
  const { key, client } = await service.account({ live: 100 });
  const local = await startReceiver();
  after(() => local.close());
  const options = { url: service.url, key, settings };
  const early = await client.create({ ...textToVideo, callback_url: journey.receiver.url });
  await client.final(String(early.body.taskId));
  const child = startCommandLine(['listen', '--forward-to', local.url], options);
  after(() => child.kill());
  const [, secret] = await waitForOutput(child.stderr, /Signing secret: (whsec_\S+)\n/);
  const from = journey.receiver.webhooks.length;
  const request = { ...textToVideo, callback_url: journey.receiver.url, metadata: { order: '7' } };
  const { body } = await client.create(request);
  await local.waitForWebhooks(1);
  await journey.receiver.waitForWebhooks(from + 1);
  const [forwarded] = local.webhooks;
  const real = journey.receiver.webhooks.find((one) => one.body.id === body.taskId);
  assert.equal(forwarded!.raw, real!.raw);
  new Webhook(secret!).verify(forwarded!.raw, forwarded!.headers as Record<string, string>);
  const { stdout } = await runCommandLine(['listen', '--print-secret'], options);
  assert.equal(stdout, `${secret}\n`);
  assert.equal(local.webhooks.length, 1);

  const cancelled = { id: 'task_1', status: 'failed', failed_reason: 'cancelled', credits: 5 };
  const failed = { ...cancelled, created_at: 1, model: 'm', billing_status: 'refunded' };
  assert.equal(
    webhookBody(failed),
    '{"id":"task_1","created_at":1,"model":"m","status":"failed",' +
      '"data":{"failed_reason":"cancelled","credits_refunded":5}}',
  );
  const wrong = await runCommandLine(['listen', '--forward-to', 'localhost:3000'], options);
  assert.equal(wrong.exit, 2);
});

test('shows the progress that a provider reports, and movement where it reports none', () => {
  const line = (seconds: number, progress: number) =>
    progressLine({ status: 'generating', seconds, progress });
  assert.equal(line(35, 0.5), `generating ${'█'.repeat(12)}${'░'.repeat(12)} 50%  35 s`);
  assert.equal(line(20, Number.NaN), `generating ${'░'.repeat(20)}${'█'.repeat(4)}  20 s`);
});

test('sends and filters by metadata', async () => {
  const { key } = await service.account({ live: 100 });
  const options = { url: service.url, key, settings };
  const create = ['create', '--prompt', 'x', '--resolution', '480p'];
  const pairs = ['--metadata', 'order=a=b', '--metadata', 'shop=1'];
  const { stdout: id, stderr } = await runCommandLine([...create, ...pairs], options);
  assert.match(id, /^task_/, stderr);
  await runCommandLine(create, options);
  const listed = await runCommandLine(['list', '--metadata', 'order=a=b'], options);
  assert.deepEqual(listed.stdout.match(/^task_\w+/gm), [id.trim()]);
  const shown = await runCommandLine(['get', id.trim()], options);
  assert.match(shown.stdout, /^metadata\t\{"shop":"1","order":"a=b"\}$/m);
  const wrong = await runCommandLine([...create, '--metadata', 'order'], options);
  assert.deepEqual([wrong.exit, wrong.stdout], [2, '']);
});
