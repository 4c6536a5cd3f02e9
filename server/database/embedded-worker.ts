/**
 * The thread that holds PGlite. It answers messages strictly in the order they came, so whoever
 * posts `begin`, statements and `commit` without letting others in between has a transaction.
 */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

export type Ask = {
  readonly id: number;
  readonly text: string;
  readonly values: readonly unknown[];
};
export type ToEngine =
  | { readonly asks: readonly Ask[] }
  | { readonly listen: string }
  | { readonly dump: true }
  | { readonly close: true };

export type Answer = {
  readonly id: number;
  readonly rows?: Record<string, unknown>[];
  readonly rowCount?: number;
  readonly error?: { readonly message: string; readonly code?: string; readonly detail?: string };
};
export type FromEngine =
  | { readonly ready: true }
  | { readonly failed: string }
  | { readonly answers: readonly Answer[] }
  | { readonly heard: { readonly channel: string; readonly payload: string } }
  | { readonly listening: string }
  | { readonly dumped: ArrayBuffer };

const { folder, dump } = workerData as { folder?: string; dump?: string };
const port = parentPort!;
const say = (message: FromEngine) => port.postMessage(message);
const int8 = 20;

async function open(): Promise<PGlite> {
  const pglite = await PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(dump === undefined ? {} : { loadDataDir: new Blob([await readFile(dump)]) }),
    parsers: { [int8]: Number },
  });
  // Deciding by time needs one zone on both engines; the session's default would be the machine's.
  await pglite.exec(`set timezone to 'UTC'`);
  return pglite;
}

async function answer(pglite: PGlite, ask: Ask): Promise<Answer> {
  try {
    // Statements without parameters may be scripts (migrations): the simple protocol runs them all.
    if (ask.values.length === 0) {
      const results = await pglite.exec(ask.text);
      const last = results.at(-1);
      const rows = (last?.rows ?? []) as Record<string, unknown>[];
      return { id: ask.id, rows, rowCount: last?.affectedRows || rows.length };
    }
    const { rows, affectedRows } = await pglite.query<Record<string, unknown>>(ask.text, [
      ...ask.values,
    ]);
    return { id: ask.id, rows, rowCount: affectedRows || rows.length };
  } catch (error) {
    const { message, code, detail } = error as { message: string; code?: string; detail?: string };
    return {
      id: ask.id,
      error: { message, ...(code ? { code } : {}), ...(detail ? { detail } : {}) },
    };
  }
}

async function handle(pglite: PGlite, message: ToEngine): Promise<void> {
  if ('asks' in message) {
    const answers: Answer[] = [];
    for (const ask of message.asks) answers.push(await answer(pglite, ask));
    say({ answers });
  } else if ('listen' in message) {
    const channel = message.listen;
    await pglite.listen(channel, (payload) => say({ heard: { channel, payload } }));
    say({ listening: channel });
  } else if ('dump' in message) {
    const file = await pglite.dumpDataDir('gzip');
    say({ dumped: await file.arrayBuffer() });
  } else {
    await pglite.close();
    port.close();
  }
}

try {
  const pglite = await open();
  let last: Promise<void> = Promise.resolve();
  port.on('message', (message: ToEngine) => {
    last = last.then(() => handle(pglite, message));
  });
  say({ ready: true });
} catch (error) {
  say({ failed: (error as Error).message });
}
