/** Runs `pgbench` with the statements of whole tasks on a database like the service's. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { startDatabase } from './database.ts';
import type { Work } from './rounds.ts';
import { seedAccounts } from './service-stack.ts';

const script = join(import.meta.dirname, 'whole-task.sql');
const clients = 4;

/** Returns the program, which PostgreSQL from npm does not have; null where there is none. */
export function findPgbench(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, 'pgbench')).find((file) => existsSync(file)) ?? null;
}

export async function startPgbench({
  program,
  folder,
  accounts,
}: {
  readonly program: string;
  readonly folder: string;
  readonly accounts: number;
}) {
  mkdirSync(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await startDatabase(join(folder, 'database')));
  await seedAccounts(database, accounts);
  await database.db.query(
    `create sequence batches;
     create table numbered_accounts as
       select row_number() over (order by a.id) - 1 as number, a.id as account_id, k.id as key_id
       from accounts a join api_keys k on k.account_id = a.id;
     alter table numbered_accounts add primary key (number)`,
  );
  await database.db.runAlone('vacuum analyze');
  const shell = spawn('/bin/sh', [], { stdio: ['pipe', 'pipe', 'inherit'] });
  stack.defer(() => void shell.stdin.end());
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const url = new URL(database.url);
  const connection = `host=${url.searchParams.get('host')} user=${url.username} dbname=postgres`;
  const run = async ({
    seconds,
    ...given
  }: {
    readonly seconds: number;
    readonly batchSize: number;
  }): Promise<Work> => {
    const batchSize = Math.min(given.batchSize, accounts);
    const options = [
      ...['-n', '-M', 'prepared', '-c', clients, '-T', Math.ceil(seconds), '-f', `'${script}'`],
      ...['-D', `size=${batchSize}`, '-D', `accounts=${accounts}`, `'${connection}'`],
    ];
    shell.stdin.write(`'${program}' ${options.join(' ')} 2>&1; echo end\n`);
    const output: string[] = [];
    for (let line = ''; line !== 'end'; ) {
      line = (await lines.next()).value ?? 'end';
      output.push(line);
    }
    const text = output.join('\n');
    const batches = Number(/actually processed: (\d+)/.exec(text)?.[1]);
    if (!(batches > 0) || /failed transactions: [1-9]|aborted/.test(text)) throw new Error(text);
    return { requests: batches * batchSize, seconds: Math.ceil(seconds) };
  };
  const owned = stack.move();
  return {
    /** The shell that runs it: the time of each run is in the shell's. */
    pid: shell.pid!,
    database,
    run,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
