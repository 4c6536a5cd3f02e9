/**
 * The limit beside creates and status requests: a bare `node:http` that parses the same JSON and
 * inserts the same rows in batches of a given size into tables without constraints, and reads the
 * same row by key in batches. It authenticates, checks and books nothing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { BareAccount, BareMessage, BareOptions, BareRow } from './bare.ts';

/** As many batches as the connections of a benchmark can fill. */
const inFlightMax = 4;
const insertSql = `
  with given as materialized (
    select * from json_to_recordset($1::json) as g(id text, account uuid, key text, mode text,
      model text, generation jsonb, credits bigint, number bigint, available bigint,
      reserved bigint, request text)),
  added_tasks as (
    insert into tasks (id, account_id, key_id, mode, model, generation, credits, deadline_at,
      request_id)
    select id, account, key, mode, model, generation, credits, now() + interval '1 hour', request
    from given),
  added_entries as (
    insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
      available_after, reserved_after, spent_after, suspended_after, task_id)
    select account, mode, number, 'reserve', 'available', 'reserved', credits, available,
      reserved, 0, 0, id
    from given)
  insert into jobs (kind, queue, account_id, task_id) select 'submit', 'default', account, id
  from given`;
const readSql = `
  select id, status, floor(extract(epoch from created_at))::float8 as created_at, model,
    billing_status, credits::float8, failed_reason
  from read_tasks where id = any($1::text[])`;

const options = JSON.parse(process.argv[2]!) as BareOptions;
const clients = Array.from({ length: inFlightMax }, () => new pg.Client(options.databaseUrl));
for (const client of clients) await client.connect();
let accounts = new Map<string, BareAccount & { number: number; reserved: number }>();
let batchSize = 1;
let created = 0;

/** Runs when `batchSize` items wait, or when nothing else runs. */
class Batches<Item, Outcome> {
  readonly #run: (client: pg.Client, items: readonly Item[]) => Promise<(item: Item) => Outcome>;
  readonly #idle = [...clients];
  #waiting: { readonly item: Item; resolve(outcome: Outcome): void }[] = [];
  #isScheduled = false;

  constructor(
    run: (client: pg.Client, items: readonly Item[]) => Promise<(item: Item) => Outcome>,
  ) {
    this.#run = run;
  }

  add(item: Item): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiting.push({ item, resolve });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      const isIdle = this.#idle.length === clients.length;
      if (this.#waiting.length === 0 || this.#idle.length === 0) return;
      if (this.#waiting.length >= batchSize || isIdle) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, batchSize);
    const client = this.#idle.pop()!;
    const outcomeOf = await this.#run(
      client,
      batch.map(({ item }) => item),
    );
    this.#idle.push(client);
    for (const { item, resolve } of batch) resolve(outcomeOf(item));
    this.#schedule();
  }
}

const inserts = new Batches<object, void>(async (client, rows) => {
  await client.query({ name: 'insert', text: insertSql, values: [JSON.stringify(rows)] });
  return () => {};
});
const reads = new Batches<string, string>(async (client, ids) => {
  const query = { name: 'read', text: readSql, values: [ids] };
  const found = new Map((await client.query<BareRow>(query)).rows.map((row) => [row.id, row]));
  return (id) => JSON.stringify(found.get(id));
});

async function create(key: string, body: Buffer): Promise<string> {
  const { model, input } = JSON.parse(body.toString());
  const account = accounts.get(key)!;
  const { credits, generation } = options.create;
  account.number += 1;
  account.reserved += credits;
  created += 1;
  const id = `task_0${created.toString(16).padStart(25, '0')}`;
  await inserts.add({
    id,
    account: account.accountId,
    key: account.keyId,
    mode: 'live',
    model,
    credits,
    generation: { ...generation, ...input, model },
    number: account.number,
    available: 1_000_000_000 - account.reserved,
    reserved: account.reserved,
    request: `req_${account.number}`,
  });
  return JSON.stringify({ taskId: id, credits });
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers.authorization!.slice('Bearer '.length);
  if (request.method === 'GET') {
    return send(response, await reads.add(request.url!.slice('/v1/tasks/'.length)));
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    send(response, await create(key, body));
  });
}

process.on('message', (message: BareMessage) => {
  if ('batchSize' in message) batchSize = message.batchSize;
  else {
    const known = message.accounts.map((one) => [one.key, { ...one, number: 1, reserved: 0 }]);
    accounts = new Map(known as [string, BareAccount & { number: number; reserved: number }][]);
  }
});
process.on('disconnect', () => process.exit());
const server = createServer((request, response) => void respond(request, response));
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
