/** The dashboard's people, in a real browser: links, signing in and out, members, the shell. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  axeProblems,
  type DashboardBench,
  password,
  startDashboard,
  type Visitor,
} from '../testing/dashboard-bench.ts';

let bench: DashboardBench;
before(async () => {
  bench = await startDashboard();
});
after(() => bench?.close());

test('who is not signed in signs in first, and comes back to the address they had', async () => {
  const { id } = await bench.service.account({ live: 1000 });
  const { context, page, open, complaints } = await bench.member(id, 'developer');
  await open(`/accounts/${id}/members?mode=test`);
  const { email } = (await (await page.request.get('/session')).json()).person;
  await page.getByRole('button', { name: 'Profile and theme' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/dashboard\/sign-in/);

  await page.goto(`/dashboard/accounts/${id}/members?mode=test`);
  await page.waitForURL(/\/dashboard\/sign-in\?to=/);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/dashboard/accounts/${id}/members?mode=test`);
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('an owner invites by a link shown once; the person joins, and is removed', async () => {
  const { id } = await bench.service.account({ live: 1000 });
  const owner = await bench.member(id, 'owner', { name: 'Olga Owner' });
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite' }).click();
  await owner.page.getByRole('radio', { name: 'Viewer' }).check();
  await owner.page.getByRole('button', { name: 'Make a link' }).click();
  const link = await owner.page.getByLabel('Link', { exact: true }).inputValue();
  await owner.page.getByRole('button', { name: 'I have handed it on' }).click();

  const { page, context } = await bench.stranger();
  await page.goto(link);
  await page.getByLabel('Your name').fill('<b>Vera</b>');
  await page.getByLabel('E-mail').fill('vera@example.com');
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText('Must have at least 12 characters').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  // A viewer sees who is here, and is offered nothing to do about it.
  await page.goto(`/dashboard/accounts/${id}/members`);
  await page.getByRole('cell', { name: '<b>Vera</b>' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Accounts', exact: true }).count(), 0);

  await owner.page.reload();
  await owner.page
    .getByRole('row', { name: /Vera/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await owner.page.getByRole('button', { name: 'Remove member' }).click();
  await owner.page.getByRole('row', { name: /Vera/ }).waitFor({ state: 'detached' });
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  assert.deepEqual(owner.complaints, []);
  await Promise.all([context.close(), owner.context.close()]);
});

test('money and keys ask for the password again after ten minutes, and then go on', async () => {
  const { id } = await bench.service.account();
  const owner = await bench.member(id, 'owner');
  await bench.service.db.query("update sessions set confirmed_at = now() - interval '11 minutes'");
  await owner.open(`/accounts/${id}/members`);
  await owner.page.getByRole('button', { name: 'Invite' }).click();
  await owner.page.getByRole('button', { name: 'Make a link' }).click();
  const asked = owner.page.getByRole('dialog', { name: 'Confirm it is you' });
  await asked.getByLabel('Password', { exact: true }).fill('not the password');
  await asked.getByRole('button', { name: 'Confirm' }).click();
  await asked
    .getByText(/password/i)
    .nth(2)
    .waitFor();
  await asked.getByLabel('Password', { exact: true }).fill(password);
  await asked.getByRole('button', { name: 'Confirm' }).click();
  await owner.page.getByLabel('Link', { exact: true }).waitFor();
  assert.deepEqual(owner.complaints, []);
  await owner.context.close();
});

test('Ctrl+K finds pages by name and a task by its pasted id', async () => {
  const { id, client } = await bench.service.account({ test: 1000, mode: 'test' });
  const created = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A paper boat', resolution: '480p', duration: 5 },
  });
  const { page, open, context, complaints } = await bench.member(id, 'viewer');
  await open(`/accounts/${id}`);
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search or jump to').fill('invite');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search or jump to').fill(`what became of ${created.body.taskId}`);
  await page.getByText('Open task').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/accounts/${id}/tasks/${created.body.taskId}?mode=test`);
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everyone can read the pages for people, also on a phone (${colorScheme})`, async () => {
    const { id } = await bench.service.account({ live: 20 });
    const visitors = [
      { visitor: await bench.stranger({ colorScheme }), paths: ['/sign-in', '/join#none', '/no'] },
      {
        visitor: await bench.administrator({ colorScheme }),
        paths: [`/accounts/${id}?mode=live`, `/accounts/${id}/members`, '/profile'],
      },
    ];
    for (const { visitor, paths } of visitors) {
      for (const path of paths) await assertReadable(visitor, path);
      assert.deepEqual(visitor.complaints, []);
      await visitor.context.close();
    }
  });
}

async function assertReadable({ page, open }: Visitor, path: string): Promise<void> {
  await open(path);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    assert.deepEqual(await axeProblems(page), [], `${path} at ${width}`);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(overflow, 0, `${path} is wider than a screen of ${width}`);
  }
}
