/**
 * The confinement of processes that parse customers' files. Node's permission model restricts
 * scripts; on Linux, namespaces of their own restrict native code as well: it sees system programs,
 * our code and its own folder, writes to that folder only, opens no connection or socket, signals
 * and reads no other process, and nothing of it outlives its end.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processTree } from './process-tree.ts';
import { mountsOf, stageFor } from './sandbox-mounts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Our code and packages. Settings and the home directory are not below any of them. */
const codePaths = ['server/', 'contract/', 'renderer/', 'node_modules/', 'package.json'].map(
  (path) => root + path,
);

export type SandboxFolders = {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
};

/** Flags that restrict a script to our code and these folders; each ends with a separator. */
export function permissionFlags({ readable, writable }: SandboxFolders): string[] {
  const readablePaths = [...codePaths, ...readable, ...writable];
  return [
    '--permission',
    ...readablePaths.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    '--no-warnings',
  ];
}

/**
 * Builds a root of bind mounts and runs the program in it. The shell is the first process of the
 * namespace: when it ends, the kernel kills all others, and waits for them. It keeps its
 * capabilities, so that the program, which has none, cannot trace it. Without capabilities the
 * program cannot change mounts, and in a changed root it cannot create namespaces to gain any.
 */
const rootScript = `
  PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
  export HOME=/ && stage=$1 && shift && setpriv=$(readlink -f "$(command -v setpriv)") &&
  mount -t tmpfs -o size=1m,mode=755 none "$stage" || exit
  while [ "$1" != -- ]; do
    kind=$1 path=$2 target=$stage$2 && shift 2 &&
    case $kind in
      seal) mount -o remount,bind,ro "$target" ;;
      hide)
        if [ -d "$path" ]; then mount -t tmpfs -o size=1m,mode=755 none "$target"
        else mount --bind /dev/null "$target"; fi ;;
      *)
        if [ -d "$path" ]; then mkdir -p "$target"
        else mkdir -p "\${target%/*}" && { [ -e "$target" ] || : > "$target"; }; fi &&
        mount --rbind "$path" "$target" &&
        { [ "$kind" = rw ] || mount -o remount,bind,ro "$target"; } ;;
    esac || exit
  done
  shift && mount -o remount,bind,ro "$stage" || exit
  chroot "$stage" "$setpriv" --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
  exit $?`;

/** Where mounts are not possible. */
const plainScript = 'setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"; exit $?';

type Namespaces = {
  readonly command: readonly string[];
  /** Whether the program has a root of its own. */
  readonly hasRoot: boolean;
};

/** They end with this process, and with them everything that they started. */
const unshare = ['setpriv', '--pdeathsig', 'KILL', '--', 'unshare', '--fork', '--kill-child'];
const shared = ['--net', '--pid', '--ipc'];
/** Tried in this order: a root process in a container may have only those without `--user`. */
const namespaceChoices: readonly Namespaces[] = [
  { command: [...unshare, ...shared, '--mount', '--user', '--map-root-user'], hasRoot: true },
  { command: [...unshare, ...shared, '--mount'], hasRoot: true },
  { command: [...unshare, ...shared, '--user', '--map-root-user'], hasRoot: false },
  { command: [...unshare, ...shared], hasRoot: false },
];
const noNamespaces: Namespaces = { command: [], hasRoot: false };

let found: Namespaces | undefined;
/** Matter only where they are in a folder of the system, such as `/usr/src/app`. */
let hiddenPaths: readonly string[] = [root.slice(0, -1)];

/** Called once at the start, with the home directory and files of settings. */
export function hideFromSandbox(...paths: readonly (string | null)[]): void {
  const given = paths.filter((path) => path !== null).map((path) => resolve(path));
  hiddenPaths = [root.slice(0, -1), ...given];
  found = undefined;
}

/**
 * None where the platform has no namespaces: outside of Linux, and where containers or AppArmor
 * forbid them.
 */
export function ownNamespaces(): Namespaces {
  found ??=
    (process.platform === 'linux' ? namespaceChoices.find(canRun) : undefined) ?? noNamespaces;
  return found;
}

const noFolders: SandboxFolders = { readable: [], writable: [] };

/**
 * The command that starts a program in namespaces of its own, as a descendant that ends with it.
 * With a root of its own, the program sees our code and these folders.
 */
export const confine = (program: readonly string[], folders = noFolders): readonly string[] =>
  confineWith(ownNamespaces(), program, folders);

function confineWith(
  { command, hasRoot }: Namespaces,
  program: readonly string[],
  { readable, writable }: SandboxFolders,
): readonly string[] {
  if (command.length === 0) return program;
  if (!hasRoot) return [...command, '/bin/sh', '-c', plainScript, 'sh', ...program];
  const exposed = {
    readable: [...codePaths, ...readable].filter((path) => existsSync(path)),
    writable: writable.filter((path) => existsSync(path)),
  };
  const mounts = mountsOf({ ...exposed, hidden: hiddenPaths });
  const script = ['/bin/sh', '-c', rootScript, 'sh', stageFor(mounts)];
  return [...command, ...script, ...mounts.flat(), '--', ...program];
}

/**
 * Ends a confined process with all that it has started. They are gone when the process that was
 * started has exited.
 */
export function killConfined(child: ChildProcess): void {
  const isAlone = child.pid === undefined || ownNamespaces().command.length === 0;
  const [, first] = isAlone ? [] : processTree(child.pid!);
  try {
    if (first !== undefined) return void process.kill(first, 'SIGKILL');
  } catch {
    // It has just ended.
  }
  child.kill('SIGKILL');
}

/** The shell in between reports a signal as an exit code. */
export function exitSignal(code: number | null, signal: NodeJS.Signals | null): string | null {
  if (signal !== null || code === null || code <= 128) return signal;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;
}

type SandboxWeakness = { readonly possible: readonly string[]; readonly fix: string };

/**
 * Returns what native code in a process that a file has taken over could do, and how to prevent it;
 * null where it has namespaces and a root of its own. For the log.
 */
export function sandboxWeakness(
  { command, hasRoot }: Namespaces = ownNamespaces(),
  platform: NodeJS.Platform = process.platform,
): SandboxWeakness | null {
  if (hasRoot) return null;
  const possible = [
    ...(command.includes('--net') ? [] : ['open connections']),
    'read and change the files of this user, such as .env and our code, and use its sockets',
    ...(command.includes('--user') ? [] : ['read the memory of other processes of this user']),
    ...(command.includes('--pid')
      ? []
      : ['end other processes of this user, and leave some behind']),
  ];
  const fix =
    platform === 'linux'
      ? 'install unshare, mount, setpriv (util-linux) and chroot (coreutils), and allow ' +
        'unprivileged user namespaces: in sysctl ' +
        '(kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), in ' +
        'the seccomp profile of the container, or in an AppArmor profile'
      : 'run vidgen on Linux';
  return { possible, fix };
}

function canRun(choice: Namespaces): boolean {
  const options = { env: {}, stdio: 'ignore', timeout: 5_000 } as const;
  const [program = '', ...args] = confineWith(choice, [process.execPath, '--version'], noFolders);
  return spawnSync(program, args, options).status === 0;
}
