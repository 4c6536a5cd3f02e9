/**
 * The health of a provider, from the calls of this process, and how many new tasks it gets. Tasks
 * that it already has are polled all the same. Each process has its own; `mergeHealth` adds them
 * up.
 */
import { sanitizeText } from '../database/sanitize-text.ts';
import { monotonicMs, unixSeconds } from '../process/clock.ts';
import { type BreakerState, createAdmission } from './admission.ts';
import type { Provider, StartResult, StatusRequest, StatusResult } from './provider.ts';
import { createThrottle } from './toolkit/call-throttle.ts';

export type ProviderHealth = {
  readonly provider: string;
  readonly breaker: BreakerState;
  /** Until the next trial; 0 unless the breaker is open. */
  readonly secondsUntilTrial: number;
  /** Since this process started. `refused`, as `GET /admin/providers` names them, are rejected. */
  readonly starts: Readonly<Record<'accepted' | 'refused' | 'throttled' | 'unknown', number>>;
  readonly statusErrors: number;
  /** Milliseconds of the latest 100 starts with a response. */
  readonly startTimes: readonly number[];
  readonly lastError: { readonly detail: string; readonly unixSeconds: number } | null;
};

export type MonitoredProvider = ReturnType<typeof monitor>;

const startTimesMax = 100;

export function monitor(
  provider: Provider,
  options: { readonly startsPerMinute?: number; readonly elapsed?: () => number } = {},
) {
  const elapsed = options.elapsed ?? monotonicMs;
  const admission = createAdmission(elapsed);
  const { breaker, windowOf } = admission;
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
    const call = startWindow.begin();
    const result = await provider.start(request).catch((error: Error) => {
      breaker.record({ failed: true });
      call.end({ accepted: false });
      recordError(error.message);
      throw error;
    });
    starts[result.outcome === 'rejected' ? 'refused' : result.outcome] += 1;
    const failed = isUnhealthy(result);
    call.end({ accepted: result.outcome === 'accepted' });
    if ('busy' in result && result.busy) startWindow.close(result.retryAfterSeconds);
    if (failed && 'detail' in result) recordError(result.detail);
    if (result.outcome !== 'unknown') {
      startTimes.push(Math.round(elapsed() - fromMs));
      if (startTimes.length > startTimesMax) startTimes.shift();
    }
    breaker.record({ failed });
    return result;
  }

  async function status(request: StatusRequest): Promise<StatusResult> {
    const result = await provider.status(request);
    if (result.outcome !== 'pending') windowOf(request.generation.model).reopen();
    else if (result.alert !== undefined) {
      statusErrors += 1;
      recordError(result.alert);
    }
    return result;
  }

  return {
    provider: { ...provider, start, status },
    availableStarts: admission.availableStarts,
    reserve: admission.reserve,
    waitForStart: admission.waitForStart,
    health: (): ProviderHealth => ({
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
    case 'rejected':
      return result.canFailOver;
  }
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
