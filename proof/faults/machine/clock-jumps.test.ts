/**
 * Sets the wall clocks of an API and a worker process forward and back by hours or days under load.
 * The database keeps the true time, and nothing may end early: generations, results, uploads,
 * sessions and keys.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { sleep, unixSeconds } from '../../../server/process/clock.ts';
import { newMember } from '../../kit/people.ts';
import { resultFramePath } from '../../kit/result-server.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import { faultTest, requireRight } from '../fault-test.ts';
import { inspectEnd, leaseViolations } from '../findings.ts';
import { Installation } from '../installation.ts';
import { manualPrompt, promptText } from '../upstream.ts';

const hour = 3600;
const day = 24 * hour;
/** Seconds from the true time, one after the other. */
const offsets = [45 * day, 2 * hour, -2 * hour, 10 * day, -10 * day, 90, 0] as const;
const underLoadMs = 700;
const pollMs = 50;

faultTest('the clock of a process jumps by hours and days, forward and back, under load', {
  sample: 2,
  requirements: ['faketime'],
  async run({ runs }) {
    await using installation = await Installation.open();
    const { clients, home } = installation;
    const clocks = [await makeClock(join(home, 'api')), await makeClock(join(home, 'worker'))];
    const api = installation.start({ role: 'api', environment: clocks[0]!.environment });
    await api.waitUntilServing();
    const worker = installation.start({ role: 'worker', environment: clocks[1]!.environment });
    const records = await createRecords(installation);
    const unverified = await verifyWebhooks(installation);
    clients.start();
    for (let nth = 0; nth < runs; nth++) {
      const offset = offsets[nth % offsets.length]!;
      await clocks[nth % clocks.length]!.set(offset);
      await sleep(underLoadMs);
      assert.deepEqual(await records.check(), [], `${offset / hour} h off`);
    }
    await clients.stop();
    const acknowledged = requireRight(await inspectEnd(installation, { staying: [api, worker] }));
    assert.deepEqual([...(await leaseViolations(installation)), ...(await records.end())], []);
    assert.deepEqual(unverified, []);
    return acknowledged;
  },
});

/**
 * A wall clock for one process: libfaketime reads the offset from the file at every call. Waits and
 * measurements use the monotonic clock, which stays true.
 */
async function makeClock(file: string) {
  const set = async (offsetSeconds: number) => {
    // Renamed, since the file is read at any time and must never be incomplete.
    await writeFile(`${file}.next`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
    await rename(`${file}.next`, file);
  };
  await set(0);
  // The library is in a folder named after the processor.
  const library = readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
  if (library === undefined) throw new Error('libfaketimeMT.so.1 is not below /usr/lib');
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_NO_CACHE: '1',
    NO_FAKE_STAT: '1',
  };
  return { environment, set };
}

/** Verifies webhooks as a careful receiver does: signed, and at most five minutes old. */
async function verifyWebhooks(installation: Installation): Promise<readonly string[]> {
  const { webhookSecret } = await installation.account();
  const violations: string[] = [];
  installation.receiver.onWebhook(({ headers, raw }, response) => {
    try {
      new Webhook(webhookSecret).verify(raw, headers as Record<string, string>);
      response.writeHead(200).end();
    } catch {
      violations.push(`signed for ${headers['webhook-timestamp']}, at ${unixSeconds()}`);
      response.writeHead(400).end();
    }
  });
  return violations;
}

/** Makes records with an expiry that must survive every jump. */
async function createRecords(installation: Installation) {
  const { url, admin, clients, upstream } = installation;
  const { id: accountId, client } = await makeAccount(url, admin, { live: 100 });
  const hourKey = { name: 'An hour', mode: 'live', expires_at: unixSeconds() + hour };
  const { body: created } = await admin.post(`/admin/accounts/${accountId}/keys`, hourKey);
  const browser = await newMember({ url, admin }, { accountId, role: 'developer' });
  const image = await readFile(resultFramePath);
  const uploaded = await browser.send('POST', `/admin/accounts/${accountId}/uploads`, image);
  const { key } = await installation.account();
  const completedId = clients.acknowledged.get(await clients.create())!;
  const { data } = await clientOf(url, key).final(completedId);
  const input = { prompt: manualPrompt, resolution: '480p', duration: 5 };
  const { body } = await client.create({ model: 'vidgen-2-0-mini', input });
  const taskId = body.taskId as string;
  while ((await client.task(taskId)).status !== 'generating') await sleep(pollMs);
  const generation = upstream.fake
    .started()
    .find((task) => promptText(task).startsWith(manualPrompt))!;
  generation.status = 'running';
  const statusOf = async (address: string, headers: Record<string, string> = {}) => {
    const response = await fetch(address, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  return {
    async check(): Promise<string[]> {
      const statuses = {
        session: await statusOf(`${url}/session`, { cookie: browser.cookie() ?? '' }),
        key: (await clientOf(url, created.key as string).get('/v1/credits')).status,
        upload: await statusOf(uploaded.body.url as string),
        result: await statusOf(data!.results[0]!),
      };
      const { status } = await client.task(taskId);
      const { data: shown } = await clientOf(url, key).task(completedId);
      return [
        ...Object.entries(statuses)
          .filter(([, seen]) => seen !== 200)
          .map(([what, seen]) => `the ${what} returns ${seen}`),
        ...(status === 'generating' ? [] : [`${taskId} is ${status}`]),
        ...(shown?.results.length === 1 ? [] : [`${completedId} shows no result`]),
      ];
    },
    /** Finishes the running generation, which must be charged. */
    async end(): Promise<string[]> {
      upstream.fake.advance(generation.id, 'succeeded');
      const { status, billing_status } = await client.final(taskId);
      const end = `${status} ${billing_status}`;
      return end === 'completed charged' ? [] : [`${taskId} ended as ${end}`];
    },
  };
}
