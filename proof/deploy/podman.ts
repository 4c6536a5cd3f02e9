/**
 * podman with storage and settings of its own, so that a check touches no other container of the
 * machine. Its images stay in a cache folder for the next run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The name in the first line of deploy/Dockerfile. */
const baseImage = 'docker.io/library/node:24-bookworm-slim';

/** Limits that a machine without CAP_SYS_RESOURCE can set; `crun` refuses hybrid cgroups. */
const settings = `[containers]
default_ulimits = ["nofile=8192:8192", "nproc=8192:8192"]
netns = "host"
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
`;

const baseFile = `FROM localhost/debian:12
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd -m -u 1000 node
`;

export type Podman = {
  /** Standard output. Throws with the output of the command if it fails. */
  run(...args: string[]): Promise<string>;
  succeeds(...args: string[]): boolean;
};

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const cache = join(tmpdir(), 'vidgen-image-check');

export function openPodman(): Podman {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const conf = join(cache, 'containers.conf');
  writeFileSync(conf, settings);
  const env = { ...process.env, CONTAINERS_CONF: conf };
  const globals = ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run')];
  return {
    run: (...args) => runProgram('podman', [...globals, ...args], env),
    succeeds: (...args) =>
      spawnSync('podman', [...globals, ...args], { env, stdio: 'ignore' }).status === 0,
  };
}

/** Makes the base from packages of Debian and this Node, where no registry can be reached. */
export async function makeBase(podman: Podman): Promise<void> {
  if (podman.succeeds('image', 'exists', baseImage)) return;
  const folder = join(cache, 'base');
  const archive = join(cache, 'debian.tar');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(archive)) {
    await runProgram('mmdebstrap', ['--variant=minbase', 'bookworm', archive]);
  }
  await podman.run('import', archive, 'localhost/debian:12');
  // The folder of npm, two above the program that its link points to.
  const npm = realpathSync((await runProgram('sh', ['-c', 'command -v npm'])).trim());
  cpSync(process.execPath, join(folder, 'node'));
  cpSync(dirname(dirname(npm)), join(folder, 'npm'), { recursive: true });
  writeFileSync(join(folder, 'Dockerfile'), baseFile);
  await podman.run('build', '--pull=never', '--network=host', '--tag', baseImage, folder);
  rmSync(archive);
}

/** `npm` in the build needs the certificate authorities of this machine. */
export async function buildImage(podman: Podman, tag: string, ...args: string[]): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const trust = authorities
    ? ['--volume', `${authorities}:/ca.crt:ro`, '--build-arg', 'NODE_EXTRA_CA_CERTS=/ca.crt']
    : [];
  const file = join(root, 'deploy/Dockerfile');
  const flags = ['--pull=never', '--network=host', '--format=docker', ...trust, ...args];
  await podman.run('build', ...flags, '--file', file, '--tag', tag, dirname(dirname(file)));
}

export async function runProgram(
  program: string,
  args: readonly string[],
  env = process.env,
): Promise<string> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, all] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    all += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code === 0) return output;
  throw new Error(
    `${program} ${args.slice(0, 8).join(' ')} ended with ${code}:\n${all.slice(-4000)}`,
  );
}

export async function waitForReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    if (response?.status === 200) return;
    await pause(500);
  }
  throw new Error(`${url} did not become ready`);
}
