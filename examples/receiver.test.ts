/**
 * The commands in the README under "Everything on one machine", on free ports.
 * Thorough: runs the examples of the guides in several languages.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from '../proof/kit/service.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService();
});
after(() => service.close());

test('turns an image on this machine into a video and verifies the webhook', async (t) => {
  const account = await service.account({ test: 100, mode: 'test' });
  const { url, waitForLine } = await startReceiver(t, account.webhookSecret);
  const { body } = await account.client.create({
    model: 'vidgen-2-0-mini',
    callback_url: `${url}/hook`,
    input: {
      prompt: 'The boat sets sail',
      generation_type: 'image-to-video',
      image_urls: [`${url}/picture.jpg`],
      duration: 4,
      resolution: '480p',
    },
  });
  const task = await account.client.final(String(body.taskId));
  assert.equal(task.status, 'completed');
  assert.equal(await waitForLine(/^served/), 'served the picture');
  assert.equal(
    await waitForLine(/^verified/),
    `verified ${task.id} completed ${task.data?.results[0]}`,
  );
  await service.assertInvariants();
});

test('rejects a webhook that is not signed with the secret', async (t) => {
  const { url, waitForLine } = await startReceiver(t, `whsec_${'A'.repeat(43)}=`);
  const now = String(Math.floor(Date.now() / 1000));
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': now, 'webhook-signature': 'v1,x' };
  const response = await fetch(`${url}/hook`, { method: 'POST', headers, body: '{}' });
  assert.equal(response.status, 401);
  assert.match(await waitForLine(/^rejected/), /signature/);
});

async function startReceiver(
  t: TestContext,
  secret: string,
): Promise<{ url: string; waitForLine: (pattern: RegExp) => Promise<string> }> {
  const program = fileURLToPath(new URL('./receiver.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, RECEIVER_PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => void child.kill());
  const waitForLine = listenTo(child);
  const url = (await waitForLine(/^listening/)).replace('listening on ', '');
  return { url, waitForLine };
}

/** Resolves to the first matching line of the output, past or future. */
function listenTo(child: ChildProcess): (pattern: RegExp) => Promise<string> {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line);
    for (const check of waiting) check();
  });
  return (pattern) =>
    new Promise((resolve) => {
      const check = () => {
        const found = lines.find((line) => pattern.test(line));
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
}
