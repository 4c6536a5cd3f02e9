/**
 * Whether the service can be reached. A request that gets no response marks the connection as lost;
 * while it is, a probe is repeated until the service responds.
 */
import { useSyncExternalStore } from 'react';
import { servicePath } from './base-path.ts';

const probeDelaysMs = [1_000, 2_000, 5_000, 10_000] as const;

let isLost = false;
let probes = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let onRecovered = (): void => {};
const listeners = new Set<() => void>();

/** Called once by the entry point: what to load again when the connection is back. */
export function onConnectionRecovered(callback: () => void): void {
  onRecovered = callback;
  addEventListener('offline', () => {
    reportUnreachable();
    // A response that was under way says nothing.
    setTimeout(() => void retryConnection(), probeDelaysMs[0]);
  });
  addEventListener('online', () => void retryConnection());
}

export const useIsConnectionLost = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLost,
  );

export function reportUnreachable(): void {
  if (!isLost) change(true);
  if (timer !== undefined) return;
  const delayMs = probeDelaysMs[Math.min(probes, probeDelaysMs.length - 1)];
  probes += 1;
  timer = setTimeout(() => void retryConnection(), delayMs);
}

export function reportReachable(): void {
  clearTimeout(timer);
  timer = undefined;
  probes = 0;
  if (!isLost) return;
  change(false);
  onRecovered();
}

/** Probes now. Returns whether the service responded. */
export async function retryConnection(): Promise<boolean> {
  clearTimeout(timer);
  timer = undefined;
  const isReachable = await probe();
  if (isReachable) reportReachable();
  else reportUnreachable();
  return isReachable;
}

/** A proxy responds with these while the service behind it restarts; the service sets an ID. */
export const isGatewayError = ({ status, headers }: Response): boolean =>
  status >= 502 && status <= 504 && !headers.has('x-request-id');

async function probe(): Promise<boolean> {
  try {
    const response = await fetch(`${servicePath}/healthz`, { cache: 'no-store' });
    return !isGatewayError(response);
  } catch {
    return false;
  }
}

function change(next: boolean): void {
  isLost = next;
  for (const listener of listeners) listener();
}
