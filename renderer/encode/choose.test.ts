import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseEncoder } from './choose.ts';

// An update of node-av that needs the package which package.json replaces with an empty one would
// fail to load, and every clip would be rendered by WebAssembly.
test('uses the native encoder where it is installed', async () => {
  const { name, reason } = await chooseEncoder();
  assert.deepEqual({ name, reason }, { name: 'native', reason: '' });
});
