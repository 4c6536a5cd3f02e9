/**
 * Plays the Kubernetes manifests with podman: two API pods and a worker on one PostgreSQL, and a
 * video from each API pod. `proof/faults/machine/rolling-restarts.test.ts` replaces processes.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservePort } from '../faults/service-process.ts';
import { cloneDatabase, startPostgres } from '../kit/postgres.ts';
import { clientOf, makeAccount } from '../kit/service.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { isInstalled, type Podman, runProgram, waitForReady } from './podman.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const { KUBECTL: kubectl = 'kubectl' } = process.env;
const input = { prompt: 'A paper boat', resolution: '480p', duration: 5 };

type CheckContext = {
  readonly podman: Podman;
  readonly image: string;
  readonly print: (line: string) => void;
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

export async function checkManifests(context: CheckContext): Promise<void> {
  const { podman, print, step } = context;
  if (!isInstalled(kubectl)) {
    return print('manifests skipped: install kubectl, or set KUBECTL to its path');
  }
  const folder = makeTemporaryFolder('manifests');
  const server = await startPostgres();
  const database = await cloneDatabase(server.url, 'template0');
  const adminToken = randomBytes(24).toString('hex');
  const pods = await writePods(folder, context);
  await writeSecrets(podman, folder, { databaseUrl: database.url, adminToken });
  try {
    await step('manifests: three pods ready', async () => {
      await podman.run('kube', 'play', pods.volumeFile);
      for (const file of pods.files) await play(podman, file);
      for (const port of pods.ports) await waitForReady(`http://127.0.0.1:${port}`);
      await waitForReady(`http://127.0.0.1:${pods.workerPort}`);
    });
    await step('manifests: a video from each API pod', () => createTasks(pods, adminToken));
  } catch (error) {
    for (const role of ['api-1', 'api-2', 'worker']) print(await logsOf(podman, role));
    throw error;
  } finally {
    for (const file of pods.files) podman.succeeds('kube', 'down', file);
    podman.succeeds('volume', 'rm', '--force', 'vidgen-data');
    podman.succeeds('secret', 'rm', 'vidgen', 'vidgen-admin');
    await database.drop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Pods = {
  /** The volume that all pods share. */
  readonly volumeFile: string;
  readonly files: readonly string[];
  readonly ports: readonly number[];
  readonly workerPort: number;
};

/** One file per pod: podman plays a Deployment as one pod, and pods share the host's ports. */
async function writePods(folder: string, { image }: CheckContext): Promise<Pods> {
  const rendered = await runProgram(kubectl, ['kustomize', join(deploy, 'kubernetes/podman')]);
  const parts = rendered.split(/^---$/m);
  const kindOf = (part: string) => /^kind: (\w+)$/m.exec(part)?.[1];
  const ofKind = (kind: string) => parts.filter((part) => kindOf(part) === kind);
  const volumeFile = join(folder, 'volume.yaml');
  writeFileSync(volumeFile, ofKind('PersistentVolumeClaim').join('---\n'));
  const deployment = (role: string) =>
    ofKind('Deployment').find((part) => part.includes(`name: vidgen-${role}`))!;
  const first = await reservePort();
  const second = await reservePort();
  const workerPort = await reservePort();
  const write = (name: string, role: string, ports: Record<string, number>) => {
    const settings = Object.entries(ports).map(([key, port]) => `  ${key}: "${port}"`);
    const text = [...ofKind('ConfigMap'), deployment(role)]
      .join('---\n')
      .replaceAll(`name: vidgen-${role}`, `name: ${name}`)
      .replaceAll('name: vidgen-settings', `name: ${name}-settings`)
      .replaceAll('image: vidgen:local', `image: ${image}\n        imagePullPolicy: Never`)
      .replace('\ndata:\n', `\ndata:\n${settings.join('\n')}\n`);
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, text);
    return file;
  };
  const files = [
    write('vidgen-api-1', 'api', { PORT: first }),
    write('vidgen-api-2', 'api', { PORT: second }),
    write('vidgen-worker', 'worker', { VIDGEN_METRICS_PORT: workerPort }),
  ];
  return { volumeFile, files, ports: [first, second], workerPort };
}

async function writeSecrets(
  podman: Podman,
  folder: string,
  { databaseUrl, adminToken }: { readonly databaseUrl: string; readonly adminToken: string },
): Promise<void> {
  const secrets = {
    vidgen: {
      VIDGEN_DATABASE_URL: databaseUrl,
      VIDGEN_METRICS_TOKEN: randomBytes(24).toString('hex'),
      VIDGEN_SECRET: randomBytes(24).toString('hex'),
    },
    'vidgen-admin': { VIDGEN_ADMIN_TOKEN: adminToken },
  };
  for (const [name, values] of Object.entries(secrets)) {
    // podman's own form of a secret: the data of the manifest as JSON.
    const encoded = Object.entries(values).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(Object.fromEntries(encoded)), { mode: 0o600 });
    podman.succeeds('secret', 'rm', name);
    await podman.run('secret', 'create', name, file);
  }
}

/** One task at each API pod; the worker ends both. */
async function createTasks(pods: Pods, adminToken: string): Promise<void> {
  const urls = pods.ports.map((port) => `http://127.0.0.1:${port}`);
  const admin = clientOf(urls[0]!, adminToken);
  const { key } = await makeAccount(urls[0]!, admin, { test: 1000, mode: 'test' });
  for (const url of urls) {
    const client = clientOf(url, key);
    const { body } = await client.create({ model: 'vidgen-2-0-mini', input });
    assert.equal((await client.final(body.taskId as string)).status, 'completed');
  }
  const { body: audit } = await admin.get('/admin/audit');
  assert.equal(audit.ok, true, JSON.stringify(audit));
}

async function logsOf(podman: Podman, name: string): Promise<string> {
  const role = name.replace(/-\d$/, '');
  const logs = podman.run('logs', '--tail', '30', `vidgen-${name}-pod-0-${role}`);
  return `${name}:\n${await logs.catch(String)}`;
}

const play = (podman: Podman, file: string) =>
  podman.run('kube', 'play', '--log-driver=k8s-file', file);
