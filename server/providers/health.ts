/**
 * How a provider is doing, learnt from the calls we make anyway, and a breaker on new tasks: after
 * several troubles in a row it gets none for a while, then one to try it with. Tasks it has already
 * taken are looked after all the same. Each process learns for itself.
 */
import { elapsedMs, unixSeconds } from '../clock.ts';
import type { Provider, StartAnswer } from './provider.ts';
import { createPace } from './toolkit/pace.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

export type ProviderHealth = {
  readonly provider: string;
  readonly breaker: BreakerState;
  /** Until a task may try it again; 0 while the breaker is closed. */
  readonly secondsUntilTrial: number;
  /** Since this process started. */
  readonly starts: Readonly<Record<StartAnswer['outcome'], number>>;
  readonly statusTroubles: number;
  /** Of the latest hundred starts that were answered; null before the first. */
  readonly startMs: { readonly p50: number; readonly p95: number } | null;
  readonly lastTrouble: { readonly detail: string; readonly unixSeconds: number } | null;
};

export type Watched = {
  readonly provider: Provider;
  /** Whether a new task may be sent now. A half-open breaker lets one through at a time. */
  admits(): boolean;
  health(): ProviderHealth;
};

/** One or two lost answers happen to everyone. */
const troublesMax = 5;
const coolingMs = { first: 5_000, most: 120_000 };
const timesKept = 100;

export function watch(
  provider: Provider,
  options: { readonly startsPerMinute?: number; readonly elapsed?: () => number } = {},
): Watched {
  const elapsed = options.elapsed ?? elapsedMs;
  const breaker = createBreaker(elapsed);
  const starts = { accepted: 0, refused: 0, throttled: 0, unknown: 0 };
  const times: number[] = [];
  let statusTroubles = 0;
  let lastTrouble: ProviderHealth['lastTrouble'] = null;
  const pace = options.startsPerMinute
    ? createPace({ perSecond: options.startsPerMinute / 60 })
    : null;
  const note = (detail: string): void => {
    lastTrouble = { detail: detail.slice(0, 300), unixSeconds: unixSeconds() };
  };

  async function start(request: Parameters<Provider['start']>[0]): Promise<StartAnswer> {
    const turn = pace && (await pace.turn({ waitMsMax: 1000 }));
    if (turn?.granted === false) {
      const detail = 'as many starts a minute as are allowed';
      return { outcome: 'throttled', retryAfterSeconds: turn.waitSeconds, detail };
    }
    const fromMs = elapsed();
    breaker.begin();
    const answer = await provider.start(request).catch((error: Error) => {
      breaker.end({ trouble: true });
      note(error.message);
      throw error;
    });
    starts[answer.outcome] += 1;
    const trouble = isTrouble(answer);
    if (trouble && 'detail' in answer) note(answer.detail);
    if (answer.outcome !== 'unknown') {
      times.push(elapsed() - fromMs);
      if (times.length > timesKept) times.shift();
    }
    breaker.end({ trouble });
    return answer;
  }

  return {
    provider: {
      ...provider,
      start,
      async status(request) {
        const answer = await provider.status(request);
        if (answer.outcome === 'pending' && answer.alert !== undefined) {
          statusTroubles += 1;
          note(answer.alert);
        }
        return answer;
      },
    },
    admits: breaker.admits,
    health: () => ({
      provider: provider.name,
      ...breaker.state(),
      starts: { ...starts },
      statusTroubles,
      startMs: times.length === 0 ? null : { p50: share(times, 0.5), p95: share(times, 0.95) },
      lastTrouble,
    }),
  };
}

/** A refusal of the content, or "not so fast", shows an upstream that works. */
function isTrouble(answer: StartAnswer): boolean {
  switch (answer.outcome) {
    case 'accepted':
      return false;
    case 'unknown':
      return true;
    case 'throttled':
      return answer.unreachable ?? false;
    case 'refused':
      return answer.tryAnother;
  }
}

function createBreaker(elapsed: () => number) {
  let troubles = 0;
  let openUntilMs = 0;
  let cooling: number = coolingMs.first;
  let underWay = 0;
  const stateOf = (): BreakerState =>
    troubles < troublesMax ? 'closed' : elapsed() < openUntilMs ? 'open' : 'half-open';

  return {
    admits(): boolean {
      const state = stateOf();
      return state === 'closed' || (state === 'half-open' && underWay === 0);
    },
    begin(): void {
      underWay += 1;
    },
    end({ trouble }: { readonly trouble: boolean }): void {
      underWay -= 1;
      if (!trouble) {
        troubles = 0;
        cooling = coolingMs.first;
        return;
      }
      troubles += 1;
      if (troubles < troublesMax) return;
      openUntilMs = elapsed() + cooling;
      cooling = Math.min(coolingMs.most, cooling * 2);
    },
    state(): Pick<ProviderHealth, 'breaker' | 'secondsUntilTrial'> {
      const state = stateOf();
      const secondsLeft = state === 'open' ? (openUntilMs - elapsed()) / 1000 : 0;
      return { breaker: state, secondsUntilTrial: Math.ceil(secondsLeft) };
    },
  };
}

function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!);
}
