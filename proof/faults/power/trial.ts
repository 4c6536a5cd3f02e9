/**
 * Cuts the power of a program at a time of its life, starts it again and inspects what it has kept.
 */
import { between, type Random } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { type Findings, noFindings } from '../fault-test.ts';
import type { PowerDisk, PoweredProcess } from './disk.ts';

export const firstCutTimes = ['soon after the first start', 'during the first start'] as const;
export const laterCutTimes = [
  'under load',
  'during a checkpoint',
  'while it starts after a cut',
] as const;
export type CutTime = (typeof firstCutTimes)[number] | (typeof laterCutTimes)[number];

/** What runs on the disk: PostgreSQL with a client, or the whole service. */
export type CutTarget = AsyncDisposable & {
  readonly name: string;
  readonly disk: PowerDisk;
  /** The last started process. */
  readonly process: PoweredProcess;
  start(random: Random): void;
  /** Throws when the process exits before it serves. */
  waitUntilServing(): Promise<void>;
  startLoad(): Promise<void>;
  /** Resolves when a checkpoint has begun. */
  startCheckpoint(): Promise<void>;
  /** Inspects what the process serves; it must also accept new work. */
  inspect(random: Random): Promise<Findings>;
};

/** How long the last start took, on a new disk and on one in use. */
export type StartTimes = { first: number; later: number };

const loadMs = { from: 200, to: 1500 };
const soonMs = { from: 0, to: 600 };
const checkpointMs = { from: 0, to: 150 };
/** Cuts while it starts also come soon after it serves. */
const startShare = { from: 0, to: 1.25 };

/** Cuts on one disk, one after the other: damage by one cut shows in the next. */
export class CutTrials {
  readonly #target: CutTarget;
  readonly #startMs: StartTimes;
  #isStarted = false;

  /** `startMs` is shared by all disks, and updated by every start. */
  constructor(target: CutTarget, startMs: StartTimes) {
    this.#target = target;
    this.#startMs = startMs;
  }

  async run(time: CutTime, random: Random): Promise<Findings> {
    const { name } = this.#target;
    await this.#cutAt(time, random);
    if (time === 'while it starts after a cut') {
      await this.#startFor(this.#startMs.later * between(random, startShare), random);
      await this.#prepareCut(random)();
    }
    const unopenable = await this.#start(random).then(
      () => [],
      ({ message }: Error) => [`does not start again: ${message}`],
    );
    const findings = unopenable.length > 0 ? noFindings : await this.#target.inspect(random);
    return { ...findings, broken: [...findings.broken, ...unopenable], label: `${name}, ${time}` };
  }

  async #cutAt(time: CutTime, random: Random): Promise<void> {
    if (time === 'during the first start') {
      await this.#startFor(this.#startMs.first * between(random, startShare), random);
      return await this.#prepareCut(random)();
    }
    if (!this.#isStarted) await this.#start(random);
    await this.#target.startLoad();
    await sleep(between(random, time === 'soon after the first start' ? soonMs : loadMs));
    const cut = this.#prepareCut(random);
    if (time === 'during a checkpoint') {
      await this.#target.startCheckpoint();
      await sleep(between(random, checkpointMs));
    }
    await cut();
  }

  #prepareCut(random: Random): () => Promise<void> {
    const { disk, process } = this.#target;
    return disk.prepareCut(process, random);
  }

  async #startFor(ms: number, random: Random): Promise<void> {
    this.#isStarted = true;
    this.#target.start(random);
    await this.#target.disk.waitUntilMounted(this.#target.process);
    await sleep(ms);
  }

  async #start(random: Random): Promise<void> {
    const fromMs = monotonicMs();
    this.#target.start(random);
    await this.#target.waitUntilServing();
    this.#startMs[this.#isStarted ? 'later' : 'first'] = monotonicMs() - fromMs;
    this.#isStarted = true;
  }
}
