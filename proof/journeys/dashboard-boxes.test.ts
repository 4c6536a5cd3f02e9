/**
 * An administrator creates a GPU box, which connects with the token of the command that is shown
 * once, drains it and revokes it.
 * Thorough: a tour in a browser; `server/providers/fleet` has the rest.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Tunnel } from '../../cli/tunnel.mjs';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture.close());
const { service } = fixture;

test('creates a box, connects it with the command, drains and revokes it', async () => {
  const { page, open, pageErrors } = await fixture.administrator();
  await open('/operator/boxes');
  await page.getByText('No GPU boxes yet').waitFor();
  await page.getByRole('button', { name: 'New box' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Den 5080');
  await dialog.getByRole('button', { name: 'Create box' }).click();
  await dialog.getByText('Use lower-case letters').waitFor();
  await dialog.getByLabel('Name').fill('den-5080');
  await dialog.getByLabel('Label').fill('gpus');
  await dialog.getByRole('button', { name: 'Create box' }).click();
  const command = (await dialog.locator('pre').textContent())!;
  assert.match(
    command,
    /worker --name den-5080 \\\n {2}--engine http:\/\/127\.0\.0\.1:8188 --kind comfyui$/,
  );
  assert.ok(command.startsWith(`curl -fsSO ${service.url}/vidgen.mjs\n`));
  assert.deepEqual(await axeProblems(page), []);
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click();

  const card = page.getByRole('article', { name: 'den-5080' });
  await card.getByText('Never connected').waitFor();
  const tunnel = new Tunnel({
    ...{ name: 'den-5080', kind: 'comfyui', slots: 1, urls: [service.url] },
    token: /vgbox_[\w-]{43}/.exec(command)![0],
    engine: new URL('http://127.0.0.1:9'),
  });
  await card.getByText('Connected', { exact: true }).waitFor();
  await card.getByText('tunnel://den-5080 or tunnel://@gpus').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  const act = async (item: string, button: string) => {
    await card.getByRole('button', { name: 'Actions for den-5080' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await dialog.getByRole('button', { name: button }).click();
  };
  await act('Drain', 'Drain box');
  await card.getByText('Draining').waitFor();
  await act('Revoke', 'Revoke box');
  await page.getByText('No GPU boxes yet').waitFor();
  const { message } = await tunnel.failed;
  assert.match(message, /unknown or revoked/);
  assert.deepEqual(pageErrors, []);
});
