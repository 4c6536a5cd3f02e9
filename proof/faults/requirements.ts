/** What some fault tests need of the machine. A test that is skipped says why. */
import { spawnSync } from 'node:child_process';

const requirementChecks = {
  namespaces: {
    command: ['unshare', '--net', '--mount', 'true'],
    message: 'needs Linux and root, for a network and mounts of its own (unshare)',
  },
  'user namespaces': {
    command: ['unshare', '--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up'],
    message: 'needs Linux with user namespaces, for a network of its own (unshare, ip)',
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
