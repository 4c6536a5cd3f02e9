/**
 * The least work that a client has when many generations end at once: reads every status, by list
 * and one by one, as fast as the limits allow, and downloads every file. It stores nothing.
 */
import { Agent, get } from 'node:http';
import { monotonicMs, sleep } from '../../server/process/clock.ts';
import type { FakeModelArk } from '../kit/modelark/fake.ts';

export type UpstreamLimits = {
  readonly getPerSecond: number;
  readonly listPerSecond: number;
  readonly pageSize: number;
};

type ListedTask = { readonly id: string; readonly content?: { readonly video_url?: string } };

const downloadsMax = 32;
/** A request may travel faster than the one before it. */
const slackMs = 20;

/** Returns the seconds it took. */
export async function runBaseline(fake: FakeModelArk, limits: UpstreamLimits): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: downloadsMax });
  const waiting = fake.tasks().map(({ id }) => id);
  const base = `${fake.baseUrl}/contents/generations/tasks`;
  const headers = { authorization: `Bearer ${fake.apiKey}` };
  const downloads: Promise<unknown>[] = [];
  const read = async (path: string): Promise<unknown> => {
    const { status, text } = await fetchText(`${base}${path}`, { agent, headers });
    if (status !== 200) throw new Error(`the baseline client received ${status}`);
    return JSON.parse(text);
  };
  const found = ({ content }: ListedTask) => {
    downloads.push(fetchText(content!.video_url!, { agent, headers: {} }));
  };
  const paced = async (perSecond: number, once: () => Promise<void>) => {
    while (waiting.length > 0) {
      await Promise.all([once(), sleep(1000 / perSecond + slackMs)]);
    }
  };
  const fromMs = monotonicMs();
  await Promise.all([
    paced(limits.listPerSecond, async () => {
      const ids = waiting.splice(0, limits.pageSize).map((id) => `filter.task_ids=${id}`);
      const page = await read(`?page_size=${limits.pageSize}&${ids.join('&')}`);
      for (const task of (page as { items: ListedTask[] }).items) found(task);
    }),
    paced(limits.getPerSecond, async () => found((await read(`/${waiting.pop()}`)) as ListedTask)),
  ]);
  await Promise.all(downloads);
  agent.destroy();
  return (monotonicMs() - fromMs) / 1000;
}

function fetchText(
  url: string,
  options: { readonly agent: Agent; readonly headers: Readonly<Record<string, string>> },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.once('error', reject);
    }).once('error', reject);
  });
}
