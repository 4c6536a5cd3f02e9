/**
 * Named points where a test kills the process (`VIDGEN_CRASH_AT=name`, or `name:3` for the third
 * time) or pauses it (`VIDGEN_PAUSE_AT`). Outside of tests neither is set, and a crash point costs
 * a comparison.
 */
export const crashPoints = [
  'accept.before-commit',
  'accept.after-commit',
  'submit.claimed',
  'submit.intent-written',
  'submit.response',
  'submit.after-commit',
  'poll.claimed',
  'poll.response',
  'collect.signed',
  'collect.stored',
  'settle.before-commit',
  'settle.after-commit',
  'notify.claimed',
  'notify.response',
  'notify.after-commit',
  'expire.removed',
  'expire.after-commit',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

type Trap = { readonly name: string; readonly signal: NodeJS.Signals; passesLeft: number };

const traps: readonly Trap[] = [
  ...trapsIn('VIDGEN_CRASH_AT', 'SIGKILL'),
  ...trapsIn('VIDGEN_PAUSE_AT', 'SIGSTOP'),
];

function trapsIn(variable: string, signal: NodeJS.Signals): Trap[] {
  const [name = '', nth = '1'] = (process.env[variable] ?? '').split(':');
  return name === '' ? [] : [{ name, signal, passesLeft: Number(nth) }];
}

export function crashPoint(name: CrashPoint): void {
  for (const trap of traps) {
    if (trap.name !== name) continue;
    trap.passesLeft -= 1;
    if (trap.passesLeft === 0) process.kill(process.pid, trap.signal);
  }
}
