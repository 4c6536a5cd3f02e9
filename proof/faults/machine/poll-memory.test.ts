/**
 * A sample of the fault test `poll-memory`.
 * Thorough: a sample of a long fault test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurePolls } from './poll-memory.ts';

test('a poll leaves nothing behind until the deadline of its task', async () => {
  const { bytesPerPoll } = await measurePolls({ polls: 20_000 });
  assert.ok(bytesPerPoll < 200, `${bytesPerPoll} bytes per poll`);
});
