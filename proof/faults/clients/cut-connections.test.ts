/**
 * The fault test `clients`: a cutting proxy between each published client and the service. A run is
 * one intent whose connection is cut once; its user starts again when the client gives up. However
 * often a client repeats a request, there is one task and one charge for each intent.
 * Thorough: clients wait seconds before they repeat a request.
 */
import { randomUUID } from 'node:crypto';
import { sleep } from '../../../server/process/clock.ts';
import { type FaultTestOptions, type Findings, faultTest, resultOf } from '../fault-test.ts';
import { auditViolations } from '../findings.ts';
import { Installation, type TestAccount } from '../installation.ts';
import { loseNone } from '../upstream.ts';
import { type Cut, CuttingProxy, cutPlaces } from './cutting-proxy.ts';
import { type ClientDriver, drivers } from './drivers.ts';

/** How often a user starts again before the intent counts as failed. */
const startsMax = 5;
/** How long a user takes to start again; a script of its own does it at once. */
const userMs = 1000;

type ClientRunsOptions = {
  readonly installation: Installation;
  readonly driver: ClientDriver;
  readonly account: TestAccount;
  /** The processes of the service, one or two. */
  readonly urls: readonly string[];
};

/** The runs of one client, which has an account of its own. */
class ClientRuns {
  readonly #options: ClientRunsOptions;
  /** How many tasks each prompt must have. */
  readonly #wanted = new Map<string, number>();
  readonly #failed: string[] = [];
  #cuts = 0;
  #creates = 0;

  constructor(options: ClientRunsOptions) {
    this.#options = options;
  }

  /** Cuts every place of every kind of request in turn. */
  async runCut(nth: number): Promise<void> {
    const { cutMethods, name } = this.#options.driver;
    const place = cutPlaces[nth % cutPlaces.length]!;
    const method = cutMethods[Math.floor(nth / cutPlaces.length) % cutMethods.length]!;
    const prompt = `${name}, cut ${nth}: ${method}, ${place}`;
    // In every second run another process gets the repeated request.
    const isSpread = Math.floor(nth / cutPlaces.length / cutMethods.length) % 2 === 1;
    await this.#run(prompt, { cut: { method, place }, isSpread });
    this.#cuts += 1;
  }

  /** Wants two videos of the same prompt, one after the other, over whole connections. */
  async runTwice(nth: number): Promise<void> {
    const prompt = `${this.#options.driver.name}, wanted twice ${nth}`;
    await this.#run(prompt, { cut: null, isSpread: false });
    await this.#run(prompt, { cut: null, isSpread: false });
  }

  async #run(
    prompt: string,
    { cut, isSpread }: { readonly cut: Cut | null; readonly isSpread: boolean },
  ): Promise<void> {
    const { urls, driver, account } = this.#options;
    this.#wanted.set(prompt, (this.#wanted.get(prompt) ?? 0) + 1);
    const { createHead = /^POST / } = driver;
    const to = isSpread ? urls : urls.slice(0, 1);
    await using proxy = await CuttingProxy.open({ to, cut, createHead });
    const idempotencyKey = randomUUID();
    for (let starts = 1; ; starts++) {
      const error = await driver
        .create({ url: proxy.url, key: account.key, prompt, idempotencyKey })
        .then(() => null)
        .catch((thrown: Error) => thrown);
      if (!error) break;
      if (starts === startsMax) {
        this.#failed.push(`${prompt}: ${error.message}`);
        break;
      }
      if (isSpread) await sleep(userMs);
    }
    this.#creates += proxy.creates;
    if (!proxy.hasCut) this.#failed.push(`${prompt}: the connection was not cut`);
  }

  /** Compares tasks and charges with what was wanted. */
  async inspect(): Promise<Findings & { readonly cuts: number; readonly summary: string }> {
    const { installation, account, driver } = this.#options;
    const { rows: tasks } = await installation.db.query<{ prompt: string; tasks: number }>(
      `select generation->>'prompt' as prompt, count(*) as tasks
       from tasks where account_id = $1 group by 1`,
      [account.id],
    );
    const { rows: entries } = await installation.db.query<{ kind: string; entries: number }>(
      `select kind, count(*) as entries from ledger_entries
       where account_id = $1 and task_id is not null group by 1`,
      [account.id],
    );
    const made = new Map(tasks.map((row) => [row.prompt, row.tasks]));
    const booked = new Map(entries.map((row) => [row.kind, row.entries]));
    const differing = (isViolation: (made: number, wanted: number) => boolean) =>
      [...this.#wanted]
        .filter(([prompt, wanted]) => isViolation(made.get(prompt) ?? 0, wanted))
        .map(([prompt, wanted]) => `${prompt}: ${made.get(prompt) ?? 0} tasks, wanted ${wanted}`);
    const intents = [...this.#wanted.values()].reduce((sum, one) => sum + one, 0);
    const taskCount = [...made.values()].reduce((sum, one) => sum + one, 0);
    const isBooked = booked.get('reserve') === taskCount && booked.get('charge') === taskCount;
    const counted = `${intents} intents, ${taskCount} tasks, ${this.#creates} creates`;
    const summary = `${driver.name}: ${counted}`;
    return {
      cuts: this.#cuts,
      summary,
      acknowledged: intents - this.#failed.length,
      lost: differing((tasksMade, wanted) => tasksMade < wanted),
      doubled: differing((tasksMade, wanted) => tasksMade > wanted),
      unfinished: this.#failed,
      broken: [
        ...(isBooked ? [] : [`${summary}, booked ${JSON.stringify(entries)}`]),
        ...(await auditViolations(installation.admin)),
      ],
    };
  }
}

/** Clients wait seconds before they repeat a request, so many run at once. */
const parallelRuns = 32;

faultTest('makes one task and one charge for each intent, wherever a connection is cut', {
  sample: cutPlaces.length * drivers.length,
  run: runClients,
});

/** `runs` cuts, evenly over the clients, and those of each over the places. */
async function runClients({ runs, log, signal }: FaultTestOptions) {
  await using installation = await Installation.open({
    upstream: {
      lostPercent: loseNone,
      planOf: () => ({ fails: false, generationMs: 0, isNotified: false }),
    },
  });
  const [first, second] = await installation.startPair('all');
  const urls = [first.url, second.url];
  const reports = [];
  for (const [at, driver] of drivers.entries()) {
    const account = await installation.account(at);
    const clientRuns = new ClientRuns({ installation, driver, account, urls });
    await inParallel(shareOf(runs, { at, of: drivers.length }), signal, async (nth) => {
      await clientRuns.runCut(nth);
      if (nth % cutPlaces.length === 0) await clientRuns.runTwice(nth);
    });
    const report = await clientRuns.inspect();
    log(report.summary);
    reports.push(report);
  }
  const cuts = reports.reduce((total, report) => total + report.cuts, 0);
  return resultOf(reports, { runs: cuts });
}

/** The first clients get one more where the runs do not divide evenly. */
const shareOf = (runs: number, { at, of }: { readonly at: number; readonly of: number }): number =>
  Math.floor(runs / of) + (at < runs % of ? 1 : 0);

async function inParallel(
  runs: number,
  signal: AbortSignal,
  run: (nth: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < runs && !signal.aborted) await run(next++);
  };
  await Promise.all(Array.from({ length: parallelRuns }, worker));
}
