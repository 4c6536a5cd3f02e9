/**
 * A sample of the fault test `clients`: every client, cut at each place of a create.
 * Thorough: clients wait seconds before they repeat a request.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClients } from './cut-connections.ts';
import { cutPlaces } from './cutting-proxy.ts';
import { drivers } from './drivers.ts';

test('makes one task and one charge for each intent, wherever a connection is cut', async () => {
  const { signal } = new AbortController();
  const sample = { runs: cutPlaces.length * drivers.length, log: () => {}, signal };
  const { violations, acknowledged, runs } = await runClients(drivers, sample);
  assert.deepEqual(violations, []);
  assert.ok(acknowledged > runs, 'intents over whole connections count as well');
});
