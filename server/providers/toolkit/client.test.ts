import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeUpstream, json } from '../../../proof/kit/fake-upstream.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { type ClientOptions, createClient } from './client.ts';

class Echo extends FakeUpstream<'any'> {
  static start = () => new Echo({}).listen();
  protected override operationOf = () => 'any' as const;
  protected override rejection = () => null;
  protected override work = () => json(200, {});
}

async function withClient(
  run: (client: ReturnType<typeof createClient>, upstream: Echo) => Promise<void>,
  change: Partial<ClientOptions> = {},
): Promise<void> {
  await using upstream = await Echo.start();
  const client = createClient({ baseUrl: `${upstream.origin}/v1/`, apiKey: () => '', ...change });
  await run(client, upstream);
  await client.close();
}

test('sends the current key with every call, and no header without a key', () => {
  let key = '';
  return withClient(
    async (client, { requests }) => {
      await client.read('/one');
      key = 'rotated';
      await client.read('/two', { method: 'POST' });
      await client.call('PUT', '/three', { headers: { 'x-extra': '1' } });
      assert.deepEqual(
        requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
        [
          ['GET', '/v1/one', undefined],
          ['POST', '/v1/two', 'Bearer rotated'],
          ['PUT', '/v1/three', 'Bearer rotated'],
        ],
      );
      assert.equal(requests[2]!.headers['x-extra'], '1');
    },
    { apiKey: () => key, getPerSecond: 1_000 },
  );
});

test('downloads from the configured host only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-client-'));
  await withClient(async (client, { origin, requests }) => {
    const { signal } = new AbortController();
    const options = { into: join(folder, 'file'), bytesMax: 100, signal };
    for (const target of ['/files/1', `${origin}/other/2`]) {
      assert.equal((await client.save(target, options)).kind, 'saved');
    }
    assert.deepEqual(pluck(requests, 'path'), ['/v1/files/1', '/other/2']);
    await assert.rejects(
      () => client.save('https://evil.example.test/3', options),
      /configured host/,
    );
    assert.equal(client.resolveOnHost('/files/4'), `${origin}/files/4`);
    for (const other of ['https://evil.example.test/5', '//evil.example.test/6', 'http://[']) {
      assert.equal(client.resolveOnHost(other), null, other);
    }
  });
  await rm(folder, { recursive: true });
});
