/** What some proofs need of the machine, and whether it has it: nothing is skipped silently. */
import { spawnSync } from 'node:child_process';

const requirementChecks = {
  /** A network of its own, and mounts of its own: Linux, as root. */
  namespaces: {
    command: ['unshare', '--net', '--mount', 'true'],
    message: 'needs Linux and root, for networks and mounts of its own (unshare)',
  },
  nftables: {
    command: ['nft', '--version'],
    message: "needs nftables (Debian's package nftables)",
  },
  pgbouncer: {
    command: ['pgbouncer', '--version'],
    message: "needs PgBouncer (Debian's package pgbouncer)",
  },
  faketime: {
    command: ['faketime', '--version'],
    message: "needs libfaketime (Debian's package faketime)",
  },
  strace: {
    command: ['strace', '--version'],
    message: "needs strace (Debian's package strace)",
  },
} as const satisfies Record<string, { command: readonly string[]; message: string }>;

export type Requirement = keyof typeof requirementChecks;

/** The sentences of what this machine lacks. */
export function missingRequirements(requirements: readonly Requirement[]): string[] {
  return requirements
    .filter((requirement) => !isAvailable(requirement))
    .map((requirement) => requirementChecks[requirement].message);
}

function isAvailable(requirement: Requirement): boolean {
  const [program, ...args] = requirementChecks[requirement].command;
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
