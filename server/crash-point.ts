/**
 * Named places where a test kills the process (`VIDGEN_CRASH_AT=name`, or `name:3` for the third
 * time). Outside of tests the variable is not set and a crash point costs one comparison.
 */
export const crashPoints = [
  'accept.before-commit',
  'accept.after-commit',
  'submit.claimed',
  'submit.intent-written',
  'submit.answered',
  'submit.after-commit',
  'poll.claimed',
  'poll.answered',
  'collect.stored',
  'settle.before-commit',
  'settle.after-commit',
  'notify.claimed',
  'notify.answered',
  'notify.after-commit',
  'expire.removed',
  'expire.after-commit',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

const [wanted, nth = '1'] = (process.env.VIDGEN_CRASH_AT ?? '').split(':');
let passed = 0;

export function crashPoint(name: CrashPoint): void {
  if (wanted !== name) return;
  passed += 1;
  if (passed === Number(nth)) process.kill(process.pid, 'SIGKILL');
}
