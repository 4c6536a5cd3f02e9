/** The limit beside webhooks: posts the same bytes with `node:https` and records nothing. */
import { Agent, request } from 'node:https';
import { monotonicMs } from '../../server/process/clock.ts';
import type { Work } from './rounds.ts';
import type { PostJob } from './webhooks.ts';

const inFlightMax = 64;
const agent = new Agent({ keepAlive: true });

function post({ url, body }: { readonly url: string; readonly body: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'vidgen',
      'webhook-id': 'msg_00000000000000000000000000',
      'webhook-timestamp': '1790000000',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    };
    request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end(body);
  });
}

async function run({ webhooks }: PostJob): Promise<Work> {
  const fromMs = monotonicMs();
  let next = 0;
  const loop = async () => {
    while (next < webhooks.length) await post(webhooks[next++]!);
  };
  await Promise.all(Array.from({ length: inFlightMax }, loop));
  return { requests: webhooks.length, seconds: (monotonicMs() - fromMs) / 1000 };
}

process.on('message', async (job: PostJob) => process.send!(await run(job)));
process.on('disconnect', () => process.exit());
