/**
 * A fault test causes one kind of failure on purpose, as often as asked, and fails on everything
 * that it left behind. `RUNS` sets how often, and `SEED` repeats the choices of a run.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

type FaultTest = {
  /** The number of runs without `RUNS`. */
  readonly sample: number;
  /** What the machine must have; without it the test is skipped with a message. */
  readonly requirements?: readonly Requirement[];
  /**
   * The URL of the test file: runs in a process with mounts of its own, which disappear with it.
   */
  readonly ownMounts?: string;
  /** Returns how much the service did meanwhile, such as creates: with 0 nothing is shown. */
  run(options: FaultTestOptions): Promise<number>;
};

type FaultTestOptions = {
  readonly runs: number;
  /** Seeds every random choice that does not depend on timing, so that a run can be repeated. */
  readonly seed: number;
  readonly log: (line: string) => void;
};

const requirementChecks = {
  namespaces: 'unshare --net --mount true',
  /** In a namespace, with which the mount and the loop device disappear. */
  'loop devices': `folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && perl -e 1 &&
    truncate -s 8M "$folder/disk.img" && mkfs.ext4 -q -F "$folder/disk.img" &&
    unshare --mount --pid --fork --mount-proc mount -o loop "$folder/disk.img" "$folder"`,
  pgbouncer: 'pgbouncer --version',
  faketime: 'faketime --version',
} as const;
type Requirement = keyof typeof requirementChecks;

const isMissing = (requirement: Requirement): boolean =>
  spawnSync('sh', ['-c', requirementChecks[requirement]], { stdio: 'ignore' }).status !== 0;

/** Set in the process with mounts of its own. */
const insideSetting = 'VIDGEN_TEST_NAMESPACE';

/** The value of `RUNS`, or the size of the sample. */
export const runsOr = (sample: number): number => Number(process.env.RUNS ?? sample);
const seed = Number(process.env.SEED ?? 1);

export function faultTest(
  title: string,
  { sample, requirements = [], ownMounts, run }: FaultTest,
): void {
  const missing = requirements.filter(isMissing);
  const skip = missing.length > 0 ? { skip: `needs ${missing.join(', ')}` } : {};
  test(title, skip, async (t) => {
    if (ownMounts && process.env[insideSetting] === undefined) {
      return await runWithOwnMounts(title, ownMounts);
    }
    // Diagnostics are shown at the end; a run of hours shows its progress.
    const log = (line: string) =>
      process.env.RUNS ? void process.stdout.write(`${line}\n`) : t.diagnostic(line);
    log(`SEED=${seed}`);
    assert.ok((await run({ runs: runsOr(sample), seed, log })) > 0, 'the service did nothing');
  });
}

/** Runs one test of a file in another process, and fails with its output. Linux only. */
async function runWithOwnMounts(title: string, file: string): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const program = [process.execPath, `--test-name-pattern=^${title}$`, fileURLToPath(file)];
  const child = spawn('unshare', ['--mount', ...program], {
    env: { ...environment, [insideSetting]: 'mounts' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (process.env.RUNS) process.stdout.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, output);
}

/** What one inspection of the service found; each entry of a list is a message. */
export type Findings = {
  /** Where the faults were seen; prefixed to every violation. */
  readonly label?: string;
  readonly acknowledged: number;
  /** Acknowledged tasks that the service does not know. */
  readonly lost: readonly string[];
  /** Tasks that were generated, and so paid for, twice at the provider. */
  readonly doubled: readonly string[];
  readonly unfinished: readonly string[];
  /** Any other violation: invariants, balances, webhooks, results. */
  readonly broken: readonly string[];
};

export const noFindings: Findings = {
  acknowledged: 0,
  lost: [],
  doubled: [],
  unfinished: [],
  broken: [],
};

/** The violations of `findings` as messages. Durations are never a violation. */
export function findingViolations(findings: Findings): string[] {
  const { label, lost, doubled, unfinished, broken } = findings;
  const messages = [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `generated twice: ${what}`),
    ...unfinished.map((what) => `not final: ${what}`),
    ...broken,
  ];
  return label === undefined ? messages : messages.map((message) => `${label}: ${message}`);
}

/** Fails when something was found; returns how many creates were acknowledged. */
export function requireRight(findings: Findings): number {
  assert.deepEqual(findingViolations(findings), []);
  return findings.acknowledged;
}

/** Calls `runOnce` as often as asked; returns how many creates were acknowledged. */
export async function runRepeatedly(
  { runs, log }: FaultTestOptions,
  runOnce: (nth: number) => Promise<Findings>,
): Promise<number> {
  let acknowledged = 0;
  for (let nth = 0; nth < runs; nth++) {
    const findings = await runOnce(nth);
    acknowledged += requireRight(findings);
    log(`${nth + 1} of ${runs}: ${findings.acknowledged} tasks acknowledged`);
  }
  return acknowledged;
}
