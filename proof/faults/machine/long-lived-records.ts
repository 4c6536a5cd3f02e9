/**
 * Records with an expiry that must survive every jump of a process's clock: a running generation, a
 * result, an upload, a session, an expiring key. Each check reads them through every API process.
 */
import { readFile } from 'node:fs/promises';
import { monotonicMs, sleep, unixSeconds } from '../../../server/process/clock.ts';
import { type BrowserSession, newMember } from '../../kit/people.ts';
import { resultFramePath } from '../../kit/result-server.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import type { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';
import { manualPrompt } from '../upstream.ts';

type RecordSet = {
  readonly key: string;
  readonly expiringKey: string;
  readonly browser: BrowserSession;
  readonly uploadUrl: string;
  readonly waitingId: string;
  readonly completed: { readonly id: string; readonly url: string; readonly bytes: number };
};

const keyLifeSeconds = 3600;
const pollMs = 50;
const endMsMax = 60_000;

export class LongLivedRecords {
  readonly #installation: Installation;
  readonly #apis: readonly ServiceProcess[];
  readonly #records: RecordSet;

  private constructor(parts: {
    installation: Installation;
    apis: readonly ServiceProcess[];
    records: RecordSet;
  }) {
    ({ installation: this.#installation, apis: this.#apis, records: this.#records } = parts);
  }

  static async begin(
    installation: Installation,
    apis: readonly ServiceProcess[],
  ): Promise<LongLivedRecords> {
    const { url, admin } = installation;
    const { id: accountId, key } = await makeAccount(url, admin, { live: 100, name: 'Kept' });
    const expires_at = unixSeconds() + keyLifeSeconds;
    const createdKey = await admin.post(`/admin/accounts/${accountId}/keys`, {
      name: 'An hour',
      mode: 'live',
      expires_at,
    });
    const browser = await newMember({ url, admin }, { accountId, role: 'developer' });
    const image = await readFile(resultFramePath);
    const uploaded = await browser.send('POST', `/admin/accounts/${accountId}/uploads`, image);
    const records: RecordSet = {
      key,
      expiringKey: createdKey.body.key as string,
      browser,
      uploadUrl: uploaded.body.url as string,
      waitingId: await createWaiting(installation, key),
      completed: await createCompleted(installation),
    };
    return new LongLivedRecords({ installation, apis, records });
  }

  /** The records that ended early. */
  async check(): Promise<string[]> {
    const seen = await Promise.all(this.#apis.map((api) => this.#checkThrough(api)));
    return seen.flat();
  }

  /** Finishes the running generation, which must be charged. */
  async end(): Promise<string[]> {
    const { upstream, url } = this.#installation;
    const { key, waitingId } = this.#records;
    const [task] = upstream.fake.tasks().filter(({ body }) => isWaiting(body));
    upstream.fake.advance(task!.id, 'succeeded');
    const fromMs = monotonicMs();
    const client = clientOf(url, key);
    let seen = await client.task(waitingId);
    while (seen.status === 'generating' && monotonicMs() - fromMs < endMsMax) {
      await sleep(pollMs);
      seen = await client.task(waitingId);
    }
    const end = `${seen.status} ${seen.billing_status}`;
    return end === 'completed charged' ? [] : [`${waitingId} ended as ${end}`];
  }

  async #checkThrough({ url }: ServiceProcess): Promise<string[]> {
    const { key, expiringKey, browser, uploadUrl, waitingId, completed } = this.#records;
    const client = clientOf(url, key);
    const waiting = await client.task(waitingId);
    const { key: owner } = await this.#installation.account();
    const result = await clientOf(url, owner).task(completed.id);
    const cookie = browser.cookie() ?? '';
    const statuses = {
      'the session': await statusOf(`${url}/session`, { cookie }),
      'the key of an hour': (await clientOf(url, expiringKey).get('/v1/credits')).status,
      'the upload': await statusOf(at(url, uploadUrl)),
    };
    const bytes = await bytesOf(at(url, completed.url));
    return [
      ...Object.entries(statuses)
        .filter(([, status]) => status !== 200)
        .map(([what, status]) => `${what} returns ${status} at ${url}`),
      ...(waiting.status === 'generating' ? [] : [`${waitingId} is ${waiting.status}`]),
      ...(result.data?.results.length === 1 ? [] : [`${completed.id} shows no result at ${url}`]),
      ...(bytes === completed.bytes ? [] : [`the result has ${bytes} bytes at ${url}`]),
    ];
  }
}

const isWaiting = ({ content }: { content: readonly { text?: string }[] }): boolean =>
  content[0]?.text?.startsWith(manualPrompt) ?? false;

async function createWaiting({ url, upstream }: Installation, key: string): Promise<string> {
  const client = clientOf(url, key);
  const { body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: manualPrompt, resolution: '480p', duration: 5 },
  });
  const taskId = body.taskId as string;
  while ((await client.task(taskId)).status !== 'generating') await sleep(pollMs);
  for (const task of upstream.fake.tasks()) if (isWaiting(task.body)) task.status = 'running';
  return taskId;
}

async function createCompleted(installation: Installation): Promise<RecordSet['completed']> {
  const { clients, url } = installation;
  const { key } = await installation.account();
  const taskNumber = await clients.create();
  const id = clients.acknowledged.get(taskNumber)!;
  const { data } = await clientOf(url, key).final(id);
  const resultUrl = data!.results[0]!;
  return { id, url: resultUrl, bytes: await bytesOf(resultUrl) };
}

/** The same path at another API process. */
function at(url: string, resultUrl: string): string {
  const { pathname, search } = new URL(resultUrl);
  return `${url}${pathname}${search}`;
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
}

async function bytesOf(url: string): Promise<number> {
  const response = await fetch(url);
  const { byteLength } = await response.arrayBuffer();
  return response.status === 200 ? byteLength : 0;
}
