/**
 * Keeps the process small. Left alone, V8 lets the space of new objects grow to 134 MB and collects
 * old ones only when there are up to four times as many as are alive: a service whose objects take
 * 60 MB would hold 450 after a busy minute. Set here and not by flags of the command line, so that
 * it holds however the service is started.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Smaller ones are emptied so often that what lives for a moment is taken for old. */
const newSpaceBytesMax = 16 * 1024 ** 2;

export function limitHeapGrowth(): void {
  // Collected again when half as much has come on top of what was alive.
  setFlagsFromString('--heap-growing-percent=50');
  // It grows by doubling, when it is collected: large enough, it stays as it is.
  const observer = new PerformanceObserver(() => {
    if (newSpaceBytes() < newSpaceBytesMax) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

const newSpaceBytes = (): number =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
