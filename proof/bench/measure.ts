/** Closed-loop load in rounds: each contender runs once per round, and the median counts. */
import { performance } from 'node:perf_hooks';

export type Contender = {
  readonly name: string;
  /** One request; a client starts the next when this one ends. */
  readonly once: (client: number) => Promise<unknown>;
  readonly clients: number;
};
export type Measurement = {
  readonly name: string;
  readonly perSecond: number;
  readonly p99Ms: number;
};

export async function measure(
  contenders: readonly Contender[],
  { rounds, secondsEach }: { readonly rounds: number; readonly secondsEach: number },
): Promise<Measurement[]> {
  const seen = new Map(contenders.map(({ name }) => [name, [] as Measurement[]]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      seen.get(contender.name)!.push(await run(contender, secondsEach));
    }
  }
  return contenders.map(({ name }) => {
    const sorted = seen.get(name)!.toSorted((a, b) => a.perSecond - b.perSecond);
    return sorted[Math.floor(sorted.length / 2)]!;
  });
}

async function run({ name, once, clients }: Contender, seconds: number): Promise<Measurement> {
  const began = performance.now();
  const until = began + seconds * 1000;
  const times: number[] = [];
  const client = async (index: number) => {
    while (performance.now() < until) {
      const from = performance.now();
      await once(index);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const perSecond = (times.length * 1000) / (performance.now() - began);
  times.sort((a, b) => a - b);
  return { name, perSecond, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
}

/** The others are compared with the first contender. */
export function table(title: string, measured: readonly Measurement[]): string {
  const [base] = measured;
  const rows = measured.map(({ name, perSecond, p99Ms }) => {
    const ratio = (perSecond / base!.perSecond).toFixed(2);
    return `| ${name} | ${perSecond.toFixed(0)} | ${p99Ms.toFixed(1)} | ${ratio} |`;
  });
  const head = '| | a second | p99 ms | ratio |\n|---|---|---|---|';
  return `## ${title}\n\n${head}\n${rows.join('\n')}\n`;
}
