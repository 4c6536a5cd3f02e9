import { testCheck } from './check-fixtures.ts';
import { timeProblems } from './time.ts';

const cases: readonly (readonly [code: string, instead: string])[] = [
  ['const at = Date.now();', 'nowMs()'],
  ['const at = new Date();', 'new Date(nowMs())'],
  ['const at = new Date;', 'new Date(nowMs())'],
  ['const at = Date();', 'new Date(nowMs())'],
  ['const began = performance.now();', 'monotonicMs()'],
  ['const began = process.hrtime.bigint();', 'monotonicMs()'],
  ['setTimeout(work, 5);', 'after()'],
  ['globalThis.setTimeout(work, 5);', 'after()'],
  ['setInterval(work, 5);', 'every()'],
  ['await new Promise(setImmediate);', 'sleep(0)'],
  ['const signal = AbortSignal.timeout(5);', 'startDeadline()'],
  ['const signal = AbortSignal.any([lease, deadline]);', 'linkSignals()'],
  ["import { scheduler } from 'node:timers/promises';", 'imports node:timers/promises'],
  ["import { performance } from 'perf_hooks';", 'imports perf_hooks'],
];

testCheck('time', timeProblems, [
  ...cases.map(([code, instead]) => ({
    rule: `only the clock has: ${code}`,
    files: { 'server/queue/queue.ts': code },
    problems: [instead],
  })),
  {
    rule: 'a given moment may be converted, and a method may be called as it likes',
    files: {
      'server/queue/queue.ts':
        'new Date(value); socket.setTimeout(5); clearTimeout(t); candidate();',
      'server/process/clock.ts': 'Date.now(); setTimeout(work, 5);',
      'proof/kit/manual-clock.ts': 'Date.now();',
      'server/queue/queue.test.ts': 'setTimeout(work, 5);',
      'renderer/render.ts': 'performance.now();',
    },
    problems: [],
  },
]);
