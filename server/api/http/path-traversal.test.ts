/** No path reads a file that is not served, on any endpoint, in any encoding. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startService, testAdminToken } from '../../../proof/kit/service.ts';
import { createRoutes } from '../routes.ts';
import type { Metrics } from './metrics.ts';

const planted = 'what nobody may read';
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
const { key } = await service.account();
await writeFile(join(service.home, 'admin-token'), planted);
after(async () => {
  agent.destroy();
  await service.close();
});

/**
 * The content of files that must not be served: of the home directory, the machine and the
 * repository.
 */
const leakMarkers = [
  planted,
  'root:x:0:0',
  '"workspaces"',
  'import { createServer',
  'NAME="Debian',
];

const up = (separator: string, times: number) => `..${separator}`.repeat(times);
const ways: readonly string[] = [
  ...[1, 3].map((times) => `${up('%2f', times)}package.json`),
  `${up('/', 3)}package.json`,
  `${up('%5c', 3)}package.json`,
  `${up('%252f', 3)}package.json`,
  `${up('\\', 3)}package.json`,
  `${'%2e%2e/'.repeat(4)}package.json`,
  `${'%2e%2e%2f'.repeat(8)}etc%2fpasswd`,
  `${'%252e%252e%252f'.repeat(8)}etc%252fpasswd`,
  `${'....//'.repeat(4)}package.json`,
  `${'..;/'.repeat(4)}package.json`,
  `${'%c0%ae%c0%ae/'.repeat(4)}package.json`,
  '/etc/passwd',
  '%2fetc%2fpasswd',
  'file:%2f%2f%2fetc%2fpasswd',
  'C:%5cWindows%5cwin.ini',
  '..%2fadmin-token',
  '..%2f..%2fREADME.md',
  'package.json%00.md',
  '.env',
  '.git%2fconfig',
  '.',
  '..',
];

/** For endpoints that serve no files: their ids go to the database. */
const fewWays = ['..%2f..%2fpackage.json', '%2fetc%2fpasswd', 'x%00'];

/** Sends the path unchanged: no client normalizes it. */
async function sendRequest(method: string, path: string, authorization: string) {
  const { port } = new URL(service.url);
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent,
    headers: { authorization },
  });
  outgoing.end();
  return await new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', async (response) => {
      const type = response.headers['content-type'] ?? '';
      resolve({ status: response.statusCode!, type, body: await text(response) });
    });
  });
}

/** Also for pages: the dashboard has one for every path below its own. */
function assertNothing(
  { status, type, body }: Awaited<ReturnType<typeof sendRequest>>,
  what: string,
): void {
  for (const marker of leakMarkers) assert(!body.includes(marker), `${what}: ${marker}`);
  const isPage = status === 200 && type.startsWith('text/html');
  assert(isPage || [400, 401, 403, 404].includes(status), `${what}: ${status}`);
}

const routes = createRoutes({ metrics: {} as Metrics });

test('every part of every path is a name, never a path', async () => {
  for (const { method, path, auth } of routes) {
    const authorization = `Bearer ${auth === 'key' ? key : testAdminToken}`;
    const places = path.match(/:\w+|\*/g) ?? [];
    for (const place of places) {
      for (const way of auth === 'none' ? ways : fewWays) {
        const target = path.replace(place, () => way).replace(/:\w+|\*/g, 'x');
        // The normalized path belongs to another endpoint.
        if (/^\.{1,2}$/.test(way) || way.startsWith('../')) continue;
        const response = await sendRequest(method, target, authorization);
        // Callbacks return 204 for any name, and reveal nothing.
        if (response.status === 204 && response.body === '') continue;
        assertNothing(response, `${method} ${target}`);
      }
    }
  }
});

test('no path continues behind a known one', async () => {
  const fixed = routes.filter(({ method, path }) => method === 'GET' && !/[:*]/.test(path));
  for (const { path, auth } of fixed) {
    for (const way of auth === 'none' ? ways : fewWays) {
      const target = `${path.replace(/\/$/, '')}/${way}`;
      assertNothing(await sendRequest('GET', target, `Bearer ${testAdminToken}`), target);
    }
  }
});
