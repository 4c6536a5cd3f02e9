/** A stop does not wait for connections on which no request is under way. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { startService } from '../../../proof/kit/service.ts';
import { monotonicMs } from '../../clock.ts';

test('a stop closes silent connections within two seconds', async () => {
  const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const silent = await openSocket(service.url);
  const begun = await openSocket(service.url);
  begun.write('GET /v1/credits HTTP/1.1\r\nHost: a\r\n');
  const kept = await openSocket(service.url);
  kept.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await once(kept, 'data');
  const closed = Promise.all([silent, begun, kept].map((socket) => once(socket, 'close')));
  const startedMs = monotonicMs();
  await service.parts.api!.close();
  const ms = monotonicMs() - startedMs;
  await closed;
  await service.close();
  assert.ok(ms < 2000, `${Math.round(ms)} ms`);
});
