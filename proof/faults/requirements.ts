/** What some fault tests need of the machine. A test that is skipped says why. */
import { spawnSync } from 'node:child_process';

/** In a namespace, with which the mount and the loop device disappear. */
const tryLoopDevice = `
  folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && perl -e 1 &&
  truncate -s 8M "$folder/disk.img" && mkfs.ext4 -q -F "$folder/disk.img" &&
  unshare --mount --pid --fork --mount-proc mount -o loop "$folder/disk.img" "$folder"`;

const requirementChecks = {
  namespaces: {
    command: ['unshare', '--net', '--mount', 'true'],
    message: 'needs Linux and root, for a network and mounts of its own (unshare)',
  },
  'user namespaces': {
    command: ['unshare', '--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up'],
    message: 'needs Linux with user namespaces, for a network of its own (unshare, ip)',
  },
  'loop devices': {
    command: ['sh', '-c', tryLoopDevice],
    message: 'needs Linux and root, for an ext4 file system on a loop device (mkfs.ext4, perl)',
  },
  nftables: { command: ['nft', '--version'], message: 'needs the Debian package nftables' },
  pgbouncer: { command: ['pgbouncer', '--version'], message: 'needs the Debian package pgbouncer' },
  faketime: { command: ['faketime', '--version'], message: 'needs the Debian package faketime' },
  strace: { command: ['strace', '--version'], message: 'needs the Debian package strace' },
} as const satisfies Record<string, { command: readonly string[]; message: string }>;

export type Requirement = keyof typeof requirementChecks;

/** One message for each requirement that this machine lacks. */
export function missingRequirements(requirements: readonly Requirement[] = []): string[] {
  const isMet = (requirement: Requirement) => {
    const [program, ...args] = requirementChecks[requirement].command;
    return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  };
  return requirements
    .filter((requirement) => !isMet(requirement))
    .map((requirement) => requirementChecks[requirement].message);
}
