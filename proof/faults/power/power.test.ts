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
      const isBlind = !options.signal.aborted && !(await losesUnsynced(options));
      const blind = isBlind
        ? ['nothing that was not synced was lost, so the cuts prove nothing']
        : [];
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

async function losesUnsynced({ seed }: FaultTestOptions): Promise<boolean> {
  await using service = await PoweredService.open();
  return await service.losesUnsynced(randomFrom(seedFrom(seed, 'unsynced')));
}
