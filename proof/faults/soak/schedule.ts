/**
 * The plan of a soak run, decided by its seed alone: how each task ends, and when which process or
 * server is killed. The same seed repeats the run, except for timing.
 */
import { randomFrom } from '../../../renderer/random.ts';

/** How a webhook receiver behaves; `flaky` rejects the first two attempts of each task. */
export type ReceiverBehavior = 'good' | 'slow' | 'flaky' | 'failing';

export type TaskPlan = {
  readonly number: number;
  readonly account: number;
  readonly end: 'completed' | 'failed' | 'cancelled';
  /** The receiver of its webhook; null without a callback URL. */
  readonly callback: ReceiverBehavior | null;
  readonly isWatched: boolean;
  readonly downloads: boolean;
  readonly lastFrame: boolean;
  readonly material: boolean;
  readonly generationMs: number;
};

export type Disturbance = {
  readonly atMs: number;
  readonly kind: 'kill' | 'stop' | 'database';
  readonly awayMs: number;
};

export const accountsMax = 6;
const receiverBehaviors = ['good', 'good', 'slow', 'flaky', 'failing', null, null] as const;
/** Longer than a customer takes to cancel, so that the provider can still cancel. */
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
    isWatched: random() < 0.75,
    downloads: random() < 0.3,
    lastFrame: random() < 0.2,
    material: random() < 0.08,
    generationMs: end === 'cancelled' ? cancelledMs : 300 + random() * 2200,
  };
}

/** Kills, stops and database crashes in turn, never two within a lease of 15 s. */
export function disturbancesFor(seed: number, ms: number): Disturbance[] {
  const random = randomFrom(seed);
  const kinds = ['kill', 'kill', 'database', 'kill', 'stop'] as const;
  const found: Disturbance[] = [];
  for (let atMs = Math.min(20_000, ms / 3); atMs < ms * 0.97; atMs += 20_000 + random() * 40_000) {
    const kind = kinds[found.length % kinds.length]!;
    found.push({ atMs, kind, awayMs: 200 + random() * 1800 });
  }
  return found;
}
