/**
 * The health of a provider, from the calls of this process, and how many new tasks it gets. After
 * several failures in a row a breaker lets none through for a while, then one as a trial. A
 * provider that is busy gets none until it may have room, then few, then more. Tasks that it
 * already has are polled all the same. Each process has its own; `mergeHealth` adds them up.
 */
import type { ModelName } from '@vidgen/contract/models.ts';
import { monotonicMs, unixSeconds } from '../clock.ts';
import { sanitizeText } from '../database/sanitize-text.ts';
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
  /** Milliseconds of the latest 100 starts with a response. */
  readonly startTimes: readonly number[];
  readonly lastError: { readonly detail: string; readonly unixSeconds: number } | null;
};

export type MonitoredProvider = {
  readonly provider: Provider;
  /** How many more tasks of the model may be sent now; infinite while all goes well. */
  admits(model: ModelName): number;
  health(): ProviderHealth;
};

/** One or two lost responses are normal. */
const failuresToOpen = 5;
const cooldownMs = { first: 5_000, max: 120_000 };
const startTimesMax = 100;
/** A provider that accepts so many starts at once is not busy. */
const startWindowMax = 64;

export function monitor(
  provider: Provider,
  options: { readonly startsPerMinute?: number; readonly elapsed?: () => number } = {},
): MonitoredProvider {
  const elapsed = options.elapsed ?? monotonicMs;
  const breaker = createBreaker(elapsed);
  const windows = new Map<ModelName, StartWindow>();
  const windowOf = (model: ModelName): StartWindow => {
    const known = windows.get(model) ?? createStartWindow(elapsed);
    windows.set(model, known);
    return known;
  };
  const starts = { accepted: 0, refused: 0, throttled: 0, unknown: 0 };
  const startTimes: number[] = [];
  let statusErrors = 0;
  let lastError: ProviderHealth['lastError'] = null;
  const throttle = options.startsPerMinute
    ? createThrottle({ perSecond: options.startsPerMinute / 60 })
    : null;
  const recordError = (detail: string): void => {
    lastError = { detail: sanitizeText(detail, { lengthMax: 300 }), unixSeconds: unixSeconds() };
  };

  async function start(request: Parameters<Provider['start']>[0]): Promise<StartResult> {
    const startWindow = windowOf(request.generation.model);
    const grant = throttle && (await throttle.acquire({ waitMsMax: 1000 }));
    if (grant?.granted === false) {
      startWindow.close(60 / options.startsPerMinute!);
      const detail = 'limit of starts per minute reached';
      return { outcome: 'throttled', retryAfterSeconds: grant.waitSeconds, detail, busy: true };
    }
    const fromMs = elapsed();
    breaker.begin();
    startWindow.begin();
    const result = await provider.start(request).catch((error: Error) => {
      breaker.end({ failed: true });
      startWindow.end();
      recordError(error.message);
      throw error;
    });
    starts[result.outcome] += 1;
    const failed = isUnhealthy(result);
    startWindow.end();
    if (result.outcome === 'accepted') startWindow.grow();
    if ('busy' in result && result.busy) startWindow.close(result.retryAfterSeconds);
    if (failed && 'detail' in result) recordError(result.detail);
    if (result.outcome !== 'unknown') {
      startTimes.push(Math.round(elapsed() - fromMs));
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
        if (result.outcome !== 'pending') windowOf(request.generation.model).reopen();
        else if (result.alert !== undefined) {
          statusErrors += 1;
          recordError(result.alert);
        }
        return result;
      },
    },
    admits: (model) => Math.min(breaker.admits(), windowOf(model).admits()),
    health: () => ({
      provider: provider.name,
      ...breaker.state(),
      starts: { ...starts },
      statusErrors,
      startTimes: [...startTimes],
      lastError,
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

type StartWindow = ReturnType<typeof createStartWindow>;

/**
 * How many starts of a model may be on their way at once; upstreams limit each model by itself. One
 * that is busy gets the next start when its `Retry-After` has passed or one of its tasks has ended,
 * and with every start that it accepts twice as many. Otherwise every task that waits would ask
 * again and again.
 */
function createStartWindow(elapsed: () => number) {
  let size = Number.POSITIVE_INFINITY;
  let closedUntilMs = 0;
  let inFlight = 0;
  return {
    admits: (): number => (elapsed() < closedUntilMs ? 0 : Math.max(0, size - inFlight)),
    begin(): void {
      inFlight += 1;
    },
    end(): void {
      inFlight -= 1;
    },
    grow(): void {
      size = size < startWindowMax ? size * 2 : Number.POSITIVE_INFINITY;
    },
    close(seconds: number): void {
      size = 1;
      closedUntilMs = Math.max(closedUntilMs, elapsed() + seconds * 1000);
    },
    reopen(): void {
      closedUntilMs = 0;
    },
  };
}

function createBreaker(elapsed: () => number) {
  let failures = 0;
  let openUntilMs = 0;
  let cooldown: number = cooldownMs.first;
  let inFlight = 0;
  const stateOf = (): BreakerState =>
    failures < failuresToOpen ? 'closed' : elapsed() < openUntilMs ? 'open' : 'half-open';

  return {
    admits(): number {
      const state = stateOf();
      if (state === 'closed') return Number.POSITIVE_INFINITY;
      return state === 'half-open' && inFlight === 0 ? 1 : 0;
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
      const wasOpen = stateOf() === 'open';
      failures += 1;
      // Only a failed trial makes the next pause longer, not the calls that had begun before it.
      if (failures < failuresToOpen || wasOpen) return;
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

/** The health as its process would report it now, if it has not called the provider since. */
export function ageHealth(health: ProviderHealth, seconds: number): ProviderHealth {
  if (health.breaker !== 'open') return health;
  const secondsUntilTrial = Math.max(0, Math.ceil(health.secondsUntilTrial - seconds));
  return { ...health, breaker: secondsUntilTrial > 0 ? 'open' : 'half-open', secondsUntilTrial };
}

/** Of a provider that no process has called. */
export const newHealth = (provider: string): ProviderHealth => ({
  provider,
  breaker: 'closed',
  secondsUntilTrial: 0,
  starts: { accepted: 0, refused: 0, throttled: 0, unknown: 0 },
  statusErrors: 0,
  startTimes: [],
  lastError: null,
});

const breakerStates: readonly BreakerState[] = ['closed', 'half-open', 'open'];

/** The health of a provider over two processes: of their breakers, the one that is open. */
export function mergeHealth(one: ProviderHealth, other: ProviderHealth): ProviderHealth {
  const isWorse = breakerStates.indexOf(one.breaker) > breakerStates.indexOf(other.breaker);
  const isNewer = (one.lastError?.unixSeconds ?? 0) > (other.lastError?.unixSeconds ?? 0);
  return {
    provider: one.provider,
    breaker: isWorse ? one.breaker : other.breaker,
    secondsUntilTrial: Math.max(one.secondsUntilTrial, other.secondsUntilTrial),
    starts: {
      accepted: one.starts.accepted + other.starts.accepted,
      refused: one.starts.refused + other.starts.refused,
      throttled: one.starts.throttled + other.starts.throttled,
      unknown: one.starts.unknown + other.starts.unknown,
    },
    statusErrors: one.statusErrors + other.statusErrors,
    startTimes: [...one.startTimes, ...other.startTimes],
    lastError: isNewer ? one.lastError : other.lastError,
  };
}
