/** Creates and status requests over HTTP, with keys, rate limits and validation. */
import { Agent, request } from 'node:http';
import { startService } from '../kit/service.ts';
import { measure, table } from './measure.ts';

const clients = 64;

export async function httpBench(log: (line: string) => void): Promise<string> {
  log('over HTTP …');
  const service = await startService({
    environment: { VIDGEN_ROLE: 'api', VIDGEN_RATE_CREATE: '0', VIDGEN_RATE_STATUS: '0' },
    durable: true,
  });
  const account = await service.account({ live: 1_000_000_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const body = JSON.stringify({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A paper boat drifts on a quiet lake', resolution: '480p' },
  });
  const { body: first } = await account.client.create(JSON.parse(body));
  const call = (method: string, path: string, content?: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${account.key}`,
        ...(content ? { 'content-type': 'application/json' } : {}),
      };
      const sent = request(`${service.url}${path}`, { method, agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`received ${response.statusCode}`));
        response.resume().once('end', resolve);
      });
      sent.once('error', reject);
      sent.end(content);
    });
  const measured = await measure(
    [
      { name: 'GET /healthz (one query each)', clients, once: () => call('GET', '/healthz') },
      { name: 'create', clients, once: () => call('POST', '/v1/videos/generations', body) },
      { name: 'status', clients, once: () => call('GET', `/v1/tasks/${first.taskId}`) },
    ],
    { rounds: 3, secondsEach: 2 },
  );
  agent.destroy();
  await service.close();
  return table(`Over HTTP, ${clients} connections, client on the same cores`, measured);
}
