import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Allocates as requests do, and prints the size of the new space in MiB, busy and shrunk. */
const program = `
  import { limitHeapGrowth } from ${JSON.stringify(new URL('./heap.ts', import.meta.url).href)};
  import { getHeapSpaceStatistics } from 'node:v8';
  limitHeapGrowth();
  const isNewSpace = ({ space_name: name }) => name === 'new_space';
  const newSpace = () => getHeapSpaceStatistics().find(isNewSpace).space_size / 2 ** 20;
  const work = async () => {
    let kept = [];
    for (let round = 0; round < 300 || (newSpace() < 16 && round < 5000); round += 1) {
      for (let at = 0; at < 2000; at += 1) kept.push({ at, text: 'x' + at, list: [at, at] });
      if (round % 30 === 0) kept = [];
      await new Promise(setImmediate);
    }
    return newSpace();
  };
  const busy = await work();
  gc({ type: 'major', flavor: 'last-resort' });
  const idle = newSpace();
  console.log(JSON.stringify([busy, idle, await work()]));`;

test('the new space is limited, and grows again after V8 has shrunk it', () => {
  const options = ['--expose-gc', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  assert.match(stdout, /^\[/, stderr);
  const [busy, idle, again] = JSON.parse(stdout) as [number, number, number];
  assert.ok(busy >= 16 && busy < 64, `${busy} MiB when busy`);
  assert.ok(idle < 8, `${idle} MiB when shrunk`);
  assert.ok(again >= 16 && again < 64, `${again} MiB when busy again`);
});
