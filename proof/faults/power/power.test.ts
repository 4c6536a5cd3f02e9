/**
 * Cuts the power under the whole service: an ext4 file system is shut down, and what was not on its
 * disk yet is lost. What was acknowledged must be there afterwards.
 * Thorough: needs root and loop devices, and takes a minute, most of it for starts after cuts.
 */
import assert from 'node:assert/strict';
import { randomFrom, seedFrom } from '../../../renderer/random.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { firstCutTimes, laterCutTimes, PoweredService } from './powered-service.ts';

/** A new disk after a few cuts. */
const cutsPerDisk = 1 + laterCutTimes.length;

faultTest('the power is cut under load, during checkpoints and during starts', {
  sample: cutsPerDisk,
  requirements: ['loop devices'],
  async run(options) {
    const { runs, seed } = options;
    let acknowledged = 0;
    for (let first = 0; first < runs; first += cutsPerDisk) {
      await using service = await PoweredService.open();
      const firstTime = firstCutTimes[(first / cutsPerDisk) % firstCutTimes.length]!;
      const cuts = Math.min(cutsPerDisk, runs - first);
      acknowledged += await runRepeatedly({ ...options, runs: cuts }, (at) =>
        service.cut(
          at === 0 ? firstTime : laterCutTimes[at - 1]!,
          randomFrom(seedFrom(seed, first + at)),
        ),
      );
    }
    await using service = await PoweredService.open();
    const losesUnsynced = await service.losesUnsynced(randomFrom(seedFrom(seed, 'unsynced')));
    assert.ok(losesUnsynced, 'nothing that was not synced was lost, so the cuts prove nothing');
    return acknowledged;
  },
});
