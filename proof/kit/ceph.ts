/**
 * A real S3 server for tests: Ceph from Debian packages, in a root folder that is made once and
 * cached, with its data in memory and on free ports of 127.0.0.1.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const packages = ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'];
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'vidgen');
const root = join(cache, 'ceph-trixie');
/** Less than a test file may take. */
const rootMsMax = 300_000;

export type Ceph = AsyncDisposable & {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Replaces the access key of its user. */
  rotate(key: { readonly id: string; readonly secret: string }): Promise<void>;
};

/** Returns a running store, or why this machine cannot run one. */
export async function startCeph(): Promise<Ceph | { readonly reason: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return { reason: 'Ceph needs Linux and root, for chroot' };
  }
  const reason = await makeRoot();
  if (reason !== null) return { reason };
  return await startDaemons().catch(({ message }: Error) => ({ reason: message }));
}

/** Takes minutes and 620 MB, once for this machine. */
async function makeRoot(): Promise<string | null> {
  if (existsSync(root)) return null;
  await mkdir(cache, { recursive: true });
  const unfinished = `${root}-${process.pid}`;
  const mirror = 'http://deb.debian.org/debian';
  const args = ['--variant=apt', `--include=${packages.join(',')}`, 'trixie', unfinished, mirror];
  try {
    await run('mmdebstrap', args, { timeout: rootMsMax, maxBuffer: 64 * 1024 ** 2 });
    await rename(unfinished, root);
    return null;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    const { code, stderr = '' } = error as { code?: string; stderr?: string };
    if (existsSync(root)) return null;
    return `mmdebstrap could not make a Debian root (${code}): ${stderr.trim().split('\n').at(-1)}`;
  }
}

async function startDaemons(): Promise<Ceph> {
  await deleteOldFolders();
  const folder = `/srv/ceph-${process.pid}-${randomUUID()}`;
  const [monitorPort, port] = [await freePort(), await freePort()];
  const children: ChildProcess[] = [];
  // The daemons must not outlive a test that crashes.
  const mortal = ['--pdeathsig', 'KILL', 'chroot', root];
  const start = (...args: string[]) =>
    void children.push(spawn('setpriv', [...mortal, ...args], { stdio: 'ignore' }));
  const call = async (...args: string[]) =>
    (await run('chroot', [root, ...args], { timeout: 60_000 })).stdout;
  const close = async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await rm(join(root, folder), { recursive: true, force: true });
  };
  try {
    const fsid = randomUUID();
    const monitor = `[v2:127.0.0.1:${monitorPort}]`;
    await prepareFolder(folder, configOf({ folder, fsid, monitor, port }));
    const config = ['-c', `${folder}/ceph.conf`];
    const map = `${folder}/monmap`;
    await call('monmaptool', '--create', '--addv', 'a', monitor, '--fsid', fsid, map);
    await call('ceph-mon', ...config, '--mkfs', '-i', 'a', '--monmap', map);
    start('ceph-mon', ...config, '-f', '-i', 'a');
    const ceph = (...args: string[]) => call('ceph', ...config, '--connect-timeout', '3', ...args);
    await waitUntil(() => ceph('-s').catch(() => null));
    const osd = randomUUID();
    await ceph('osd', 'new', osd);
    await call('ceph-osd', ...config, '-i', '0', '--mkfs', '--osd-uuid', osd);
    await ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default');
    start('ceph-osd', ...config, '-f', '-i', '0');
    const keyring = ['--keyring', `${folder}/rgw/keyring`, '-n', 'client.rgw'];
    await call('ceph-authtool', '--create-keyring', ...keyring.slice(1), '--gen-key');
    start('radosgw', ...config, '-f', '-n', 'client.rgw');
    const endpoint = `http://127.0.0.1:${port}`;
    await waitUntil(() => fetch(endpoint).catch(() => null));
    const [accessKeyId, secretAccessKey] = ['AKCEPHTEST', 'a secret key of Ceph in tests'];
    const keys = [`--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`];
    const admin = (...args: string[]) =>
      call('radosgw-admin', ...config, ...keyring, ...args, '--uid=test');
    await admin('user', 'create', '--display-name=test', ...keys);
    const rotate: Ceph['rotate'] = async ({ id, secret }) => {
      await admin('key', 'create', '--key-type=s3', `--access-key=${id}`, `--secret=${secret}`);
      await admin('key', 'rm', '--key-type=s3', `--access-key=${accessKeyId}`);
    };
    return { endpoint, accessKeyId, secretAccessKey, rotate, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Of tests that crashed. */
async function deleteOldFolders(): Promise<void> {
  for (const name of await readdir(join(root, 'srv'))) {
    const [, pid] = /^ceph-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    await rm(join(root, 'srv', name), { recursive: true, force: true });
  }
}

/** Debian ships the classes of the store as `.so.1`, and Ceph looks for `.so`. */
async function prepareFolder(folder: string, config: string): Promise<void> {
  for (const name of ['mon', 'osd', 'run', 'log', 'rgw', 'classes']) {
    await mkdir(join(root, folder, name), { recursive: true });
  }
  await writeFile(join(root, folder, 'ceph.conf'), config);
  const libraries = await readdir(join(root, 'usr/lib'));
  for (const library of libraries.filter((name) => name.endsWith('-linux-gnu'))) {
    const classes = `usr/lib/${library}/rados-classes`;
    for (const name of await readdir(join(root, classes)).catch(() => [])) {
      if (!name.endsWith('.so.1')) continue;
      await symlink(`/${classes}/${name}`, join(root, folder, 'classes', name.slice(0, -2)));
    }
  }
}

/** One monitor, one OSD in memory and the gateway, without authentication among them. */
const configOf = ({
  folder,
  fsid,
  monitor,
  port,
}: {
  readonly folder: string;
  readonly fsid: string;
  readonly monitor: string;
  readonly port: number;
}): string => `[global]
fsid = ${fsid}
mon_host = ${monitor}
mon_initial_members = a
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_bind_ipv6 = false
public_addr = 127.0.0.1
run_dir = ${folder}/run
admin_socket = ${folder}/run/$name.asok
log_file = ${folder}/log/$name.log
setuser_match_path =
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
osd_objectstore = memstore
osd_class_dir = ${folder}/classes
memstore_device_bytes = 1073741824
[mon.a]
mon_data = ${folder}/mon
[osd]
osd_data = ${folder}/osd
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_data = ${folder}/rgw
rgw_dns_name = 127.0.0.1
rgw_thread_pool_size = 16
rgw_enable_gc_threads = false
ms_mon_client_mode = crc
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
