/**
 * What happens in a soak run and when, decided by its seed alone: what becomes of each task, and
 * which process or server is killed at which moment. The same seed is the same run again, as far as
 * a machine allows.
 */
import { randomFrom } from '../../../renderer/random.ts';

/** How a receiver of webhook calls behaves; `flaky` refuses the first two calls of each task. */
export type ReceiverBehavior = 'good' | 'slow' | 'flaky' | 'failing';

export type TaskPlan = {
  readonly number: number;
  readonly account: number;
  /** What the provider, or the customer, is to make of it. */
  readonly end: 'completed' | 'failed' | 'cancelled';
  /** How the receiver of its callback behaves; null: it has none. */
  readonly callback: ReceiverBehavior | null;
  readonly watched: 'by looking' | 'by waiting' | 'not at all';
  readonly downloads: boolean;
  readonly lastFrame: boolean;
  readonly material: boolean;
  readonly generationMs: number;
};

export type Disturbance = {
  readonly atMs: number;
  readonly kind: 'kill' | 'stop' | 'database';
  /** How long it stays away. */
  readonly awayMs: number;
};

export const accountsMax = 6;
const receiverBehaviors: readonly (ReceiverBehavior | null)[] = [
  'good',
  'good',
  'good',
  'good',
  'slow',
  'flaky',
  'failing',
  null,
  null,
  null,
];
const watches = ['by looking', 'by waiting', 'by waiting', 'not at all'] as const;
/** Longer than a customer takes to cancel: until it ends, the provider can be stopped. */
const cancelledMs = 4000;

export function planOf(seed: number, number: number): TaskPlan {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ number);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const roll = random();
  const end = roll < 0.12 ? 'failed' : roll < 0.2 ? 'cancelled' : 'completed';
  return {
    number,
    account: Math.floor(random() * accountsMax),
    end,
    callback: pick(receiverBehaviors),
    watched: pick(watches),
    downloads: random() < 0.3,
    lastFrame: random() < 0.2,
    material: random() < 0.08,
    generationMs: end === 'cancelled' ? cancelledMs : 300 + random() * 2200,
  };
}

/**
 * Kills, orderly stops and crashes of the database in turn, never two within a lease of 15 s. The
 * one process of the embedded engine is left alone in the second half: it is to grow old.
 */
export function disturbancesFor({
  seed,
  ms,
  engine,
}: {
  readonly seed: number;
  readonly ms: number;
  readonly engine: 'embedded' | 'postgres';
}): Disturbance[] {
  const random = randomFrom(seed);
  const kinds: readonly Disturbance['kind'][] =
    engine === 'postgres' ? ['kill', 'kill', 'database', 'kill', 'stop'] : ['kill', 'kill', 'stop'];
  const fromMs = Math.min(20_000, ms / 3);
  const untilMs = engine === 'postgres' ? ms * 0.97 : ms * 0.5;
  const found: Disturbance[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs += 20_000 + random() * 40_000) {
    const kind = kinds[found.length % kinds.length]!;
    found.push({ atMs, kind, awayMs: 200 + random() * 1800 });
  }
  return found;
}
