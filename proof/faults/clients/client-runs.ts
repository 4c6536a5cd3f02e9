/**
 * Runs of published clients through a cutting proxy. A run is one intent whose connection is cut
 * once; its user starts again when the client gives up. Afterwards there is one task, and one
 * charge, for each intent.
 */
import { randomUUID } from 'node:crypto';
import { sleep } from '../../../server/process/clock.ts';
import type { Findings } from '../fault-test.ts';
import { auditViolations } from '../findings.ts';
import type { Installation, TestAccount } from '../installation.ts';
import { type Cut, CuttingProxy, cutPlaces } from './cutting-proxy.ts';
import type { ClientDriver } from './driver.ts';

/** How often a user starts again before the intent counts as failed. */
const startsMax = 5;
/** How long a user takes to start again; a script of its own does it at once. */
const userMs = 1000;

type ClientReport = Findings & {
  readonly client: string;
  readonly cuts: number;
  readonly intents: number;
  readonly creates: number;
  readonly tasks: number;
  readonly charges: number;
};

type ClientRunsOptions = {
  readonly installation: Installation;
  readonly driver: ClientDriver;
  readonly account: TestAccount;
  /** The processes of the service, one or two. */
  readonly urls: readonly string[];
};

/** The runs of one client, which has an account of its own. */
export class ClientRuns {
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
  async inspect(): Promise<ClientReport> {
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
    const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);
    const counts = {
      intents: sum(this.#wanted.values()),
      tasks: sum(made.values()),
      charges: booked.get('charge') ?? 0,
    };
    const bookings = `${booked.get('reserve') ?? 0} reservations and ${counts.charges} charges`;
    const isBooked = booked.get('reserve') === counts.tasks && counts.charges === counts.tasks;
    return {
      client: driver.name,
      cuts: this.#cuts,
      creates: this.#creates,
      ...counts,
      acknowledged: counts.intents - this.#failed.length,
      lost: differing((tasksMade, wanted) => tasksMade < wanted),
      doubled: differing((tasksMade, wanted) => tasksMade > wanted),
      unfinished: this.#failed,
      broken: [
        ...(isBooked ? [] : [`${driver.name}: ${counts.tasks} tasks have ${bookings}`]),
        ...(await auditViolations(installation.admin)),
      ],
    };
  }
}
