/**
 * Cuts the power under the whole service: an ext4 file system is shut down, and what was not on its
 * disk yet is lost. What was acknowledged must be there afterwards.
 * Thorough: needs root and loop devices, and takes a minute, most of it for starts after cuts.
 */
import { randomFrom, seedFrom } from '../../../renderer/random.ts';
import {
  type FaultTestOptions,
  type Findings,
  faultTest,
  findingViolations,
  noFindings,
  runRepeatedly,
} from '../fault-test.ts';
import { type CutTime, firstCutTimes, laterCutTimes, PoweredService } from './powered-service.ts';

const cutsPerDisk = 1 + laterCutTimes.length;
/** Cuts with a planted fault, of which one must lose something. */
const plantedCutsMax = 4;

faultTest('the power is cut under load, during checkpoints and during starts', {
  sample: cutsPerDisk,
  requirements: ['loop devices'],
  async run(options) {
    let service: PoweredService | undefined;
    /** A new disk after a few cuts, and after a violation, which every later cut would report. */
    const close = async () => {
      const last = service;
      service = undefined;
      await last?.[Symbol.asyncDispose]();
    };
    options.signal.addEventListener('abort', () => void close());
    const cutOnce = async (nth: number): Promise<Findings> => {
      const time = cutTimeOf(nth);
      if (nth % cutsPerDisk === 0) await close();
      service ??= await PoweredService.open();
      const random = randomFrom(seedFrom(options.seed, nth));
      const findings = await service
        .cut(time, random)
        // A cut whose inspection failed with an error counts as a violation.
        .catch(({ message }: Error) => ({ ...noFindings, label: time, broken: [message] }));
      if (findingViolations(findings).length > 0) await close();
      return findings;
    };
    try {
      const result = await runRepeatedly(options, cutOnce);
      const isBlind = !options.signal.aborted && !(await losesWithoutFsync(options));
      const blind = isBlind ? ['without fsync nothing was lost, so the cuts prove nothing'] : [];
      return { ...result, violations: [...result.violations, ...blind] };
    } finally {
      await close();
    }
  },
});

function cutTimeOf(nth: number): CutTime {
  const at = nth % cutsPerDisk;
  const disk = Math.floor(nth / cutsPerDisk);
  return at > 0 ? laterCutTimes[at - 1]! : firstCutTimes[disk % firstCutTimes.length]!;
}

/** Cuts the power under a PostgreSQL that does not sync, until commits are lost. */
async function losesWithoutFsync({ seed, signal }: FaultTestOptions): Promise<boolean> {
  for (let cuts = 1; cuts <= plantedCutsMax && !signal.aborted; cuts++) {
    const random = randomFrom(seedFrom(seed, 'without fsync', cuts));
    await using service = await PoweredService.open();
    if (await service.losesUnsynced(random)) return true;
  }
  return false;
}
