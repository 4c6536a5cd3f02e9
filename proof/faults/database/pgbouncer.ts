/**
 * PgBouncer in transaction mode in front of a PostgreSQL: each transaction gets any free session,
 * so the service may not depend on one. The pooler exits with this process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '../../../server/database/postgres.ts';
import { deleteFolder, makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { reservePort } from '../service-process.ts';

/** With one connection to PostgreSQL for each database. */
export async function startPooler(
  databasePort: number,
): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = makeTemporaryFolder('pooler');
  // As root the pooler runs as another user, like PostgreSQL.
  chmodSync(folder, 0o755);
  const port = await reservePort();
  await writeFile(join(folder, 'users'), '"vidgen" ""\n');
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: 1,
    max_client_conn: 2000,
    // A database can be a template, or be dropped, only without connections.
    server_idle_timeout: 1,
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const head = `[databases]\n* = host=127.0.0.1 port=${databasePort}\n\n[pgbouncer]\n`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${head}${lines.join('\n')}\n`);
  const child = spawn('pgbouncer', [file], { cwd: '/', stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const url = `postgres://vidgen@127.0.0.1:${port}/postgres`;
  await waitUntil(() =>
    openPostgres(url).then(
      (db) => db.close().then(() => true),
      () => false,
    ),
  );
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      deleteFolder(folder);
    },
  };
}
