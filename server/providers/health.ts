/**
 * The health of a provider, from the calls of this process, and a breaker for new tasks: after
 * several failures in a row the provider gets none for a while, then one as a trial. Tasks that it
 * already has are polled all the same.
 */
import { monotonicMs, unixSeconds } from '../clock.ts';
import type { Provider, StartResult } from './provider.ts';
import { createThrottle } from './toolkit/call-throttle.ts';

type BreakerState = 'closed' | 'open' | 'half-open';

export type ProviderHealth = {
  readonly provider: string;
  readonly breaker: BreakerState;
  /** Until the next trial; 0 unless the breaker is open. */
  readonly secondsUntilTrial: number;
  /** Since this process started. */
  readonly starts: Readonly<Record<StartResult['outcome'], number>>;
  readonly statusErrors: number;
  /** Of the latest 100 starts with a response; null before the first. */
  readonly startMs: { readonly p50: number; readonly p95: number } | null;
  readonly lastError: { readonly detail: string; readonly unixSeconds: number } | null;
  /** Unix time of the latest accepted start; null before the first. */
  readonly lastAccepted: number | null;
};

export type MonitoredProvider = {
  readonly provider: Provider;
  /** Whether a new task may be sent now. A half-open breaker allows one at a time. */
  acceptsTasks(): boolean;
  health(): ProviderHealth;
};

/** One or two lost responses are normal. */
const failuresToOpen = 5;
const cooldownMs = { first: 5_000, max: 120_000 };
const startTimesMax = 100;

export function monitor(
  provider: Provider,
  options: { readonly startsPerMinute?: number; readonly elapsed?: () => number } = {},
): MonitoredProvider {
  const elapsed = options.elapsed ?? monotonicMs;
  const breaker = createBreaker(elapsed);
  const starts = { accepted: 0, refused: 0, throttled: 0, unknown: 0 };
  const startTimes: number[] = [];
  let statusErrors = 0;
  let lastError: ProviderHealth['lastError'] = null;
  let lastAccepted: ProviderHealth['lastAccepted'] = null;
  const throttle = options.startsPerMinute
    ? createThrottle({ perSecond: options.startsPerMinute / 60 })
    : null;
  const recordError = (detail: string): void => {
    lastError = { detail: detail.slice(0, 300), unixSeconds: unixSeconds() };
  };

  async function start(request: Parameters<Provider['start']>[0]): Promise<StartResult> {
    const grant = throttle && (await throttle.acquire({ waitMsMax: 1000 }));
    if (grant?.granted === false) {
      const detail = 'limit of starts per minute reached';
      return { outcome: 'throttled', retryAfterSeconds: grant.waitSeconds, detail };
    }
    const fromMs = elapsed();
    breaker.begin();
    const result = await provider.start(request).catch((error: Error) => {
      breaker.end({ failed: true });
      recordError(error.message);
      throw error;
    });
    starts[result.outcome] += 1;
    if (result.outcome === 'accepted') lastAccepted = unixSeconds();
    const failed = isUnhealthy(result);
    if (failed && 'detail' in result) recordError(result.detail);
    if (result.outcome !== 'unknown') {
      startTimes.push(elapsed() - fromMs);
      if (startTimes.length > startTimesMax) startTimes.shift();
    }
    breaker.end({ failed });
    return result;
  }

  return {
    provider: {
      ...provider,
      start,
      async status(request) {
        const result = await provider.status(request);
        if (result.outcome === 'pending' && result.alert !== undefined) {
          statusErrors += 1;
          recordError(result.alert);
        }
        return result;
      },
    },
    acceptsTasks: breaker.acceptsTasks,
    health: () => ({
      provider: provider.name,
      ...breaker.state(),
      starts: { ...starts },
      statusErrors,
      startMs:
        startTimes.length === 0
          ? null
          : { p50: percentile(startTimes, 0.5), p95: percentile(startTimes, 0.95) },
      lastError,
      lastAccepted,
    }),
  };
}

/** Rejected content and rate limits come from an upstream that works. */
function isUnhealthy(result: StartResult): boolean {
  switch (result.outcome) {
    case 'accepted':
      return false;
    case 'unknown':
      return true;
    case 'throttled':
      return result.unreachable ?? false;
    case 'refused':
      return result.canFailOver;
  }
}

function createBreaker(elapsed: () => number) {
  let failures = 0;
  let openUntilMs = 0;
  let cooldown: number = cooldownMs.first;
  let inFlight = 0;
  const stateOf = (): BreakerState =>
    failures < failuresToOpen ? 'closed' : elapsed() < openUntilMs ? 'open' : 'half-open';

  return {
    acceptsTasks(): boolean {
      const state = stateOf();
      return state === 'closed' || (state === 'half-open' && inFlight === 0);
    },
    begin(): void {
      inFlight += 1;
    },
    end({ failed }: { readonly failed: boolean }): void {
      inFlight -= 1;
      if (!failed) {
        failures = 0;
        cooldown = cooldownMs.first;
        return;
      }
      failures += 1;
      if (failures < failuresToOpen) return;
      openUntilMs = elapsed() + cooldown;
      cooldown = Math.min(cooldownMs.max, cooldown * 2);
    },
    state(): Pick<ProviderHealth, 'breaker' | 'secondsUntilTrial'> {
      const state = stateOf();
      const secondsLeft = state === 'open' ? (openUntilMs - elapsed()) / 1000 : 0;
      return { breaker: state, secondsUntilTrial: Math.ceil(secondsLeft) };
    },
  };
}

function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]!);
}
