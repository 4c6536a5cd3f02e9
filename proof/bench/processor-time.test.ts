/**
 * What a process and its ended children have used is counted, and a slow contender is reported.
 *
 * Thorough: uses processor time on purpose.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { compare } from './comparison.ts';
import { processorMs } from './processor-time.ts';
import { type Contender, measureRounds } from './rounds.ts';

/** Burns the given milliseconds of processor time for each line, then prints what it has used. */
const burner = `
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 };
  process.stdin.on('data', (line) => {
    const until = used() + Number(line);
    while (used() < until);
    process.stdout.write(used() + '\\n');
  })`;
/** Runs a child that burns 200 ms, and stays after the child has ended. */
const parent = `
  const { spawnSync } = require('node:child_process');
  const burn = 'const t = process.cpuUsage; while (t().user < 200_000);';
  spawnSync(process.execPath, ['-e', burn]);
  process.stdin.resume();
  process.stdout.write('ended\\n')`;
/** The kernel counts in ticks of 10 ms, and the process works on after it has looked. */
const toleranceMs = 40;

const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill();
});

function start(program: string) {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const nextLine = async () => String(((await once(child.stdout, 'data')) as [Buffer])[0]);
  return { child, nextLine };
}

function burningContender(name: string, msEach: number): Contender {
  const { child, nextLine } = start(burner);
  return {
    ...{ name, service: [child.pid!], database: [] },
    async run() {
      const requests = 10;
      child.stdin.write(`${requests * msEach}\n`);
      await nextLine();
      return { requests, seconds: 1 };
    },
  };
}

describe('processor time', { skip: process.platform !== 'linux' }, () => {
  test('counts what a process has used, as the process itself does', async () => {
    const { child, nextLine } = start(burner);
    child.stdin.write('300\n');
    const usedMs = Number(await nextLine());
    const countedMs = processorMs(child.pid!);
    assert.ok(Math.abs(countedMs - usedMs) <= toleranceMs, `${countedMs} instead of ${usedMs} ms`);
  });

  test('counts children, and keeps the time of those that have ended', async () => {
    const { child, nextLine } = start(parent);
    await nextLine();
    assert.ok(processorMs(child.pid!) >= 200);
    assert.ok(processorMs(process.pid) >= processorMs(child.pid!));
  });

  test('reports a contender that is too slow as missed, and another as reached', async () => {
    const options = { rounds: 3, seconds: 1, warmUpSeconds: 0 };
    const contenders = [burningContender('slow', 30), burningContender('limit', 10)];
    const [slow, limit] = await measureRounds(contenders, options);
    const about = { id: 'slow', title: 'Slow' };
    const target = { field: 'totalMicros', bound: 'at most' } as const;
    const missed = compare({ ...about, target: { ...target, ratio: 2 } }, slow!, limit!);
    const reached = compare({ ...about, target: { ...target, ratio: 4 } }, slow!, limit!);
    assert.equal(missed.isReached, false);
    assert.equal(reached.isReached, true);
    assert.ok(slow!.serviceMicros >= 29_000 && slow!.serviceMicros < 40_000);
    assert.equal(slow!.databaseMicros, 0);
  });
});
