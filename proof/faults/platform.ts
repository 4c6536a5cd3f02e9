/** What some proofs need of the machine, and whether it has it: nothing is skipped silently. */
import { spawnSync } from 'node:child_process';

const tries = {
  /** A network of its own, and mounts of its own: Linux, as root. */
  namespaces: {
    command: ['unshare', '--net', '--mount', 'true'],
    sentence: 'needs Linux and root, for networks and mounts of its own (unshare)',
  },
  nftables: {
    command: ['nft', '--version'],
    sentence: "needs nftables (Debian's package nftables)",
  },
  pgbouncer: {
    command: ['pgbouncer', '--version'],
    sentence: "needs PgBouncer (Debian's package pgbouncer)",
  },
  faketime: {
    command: ['faketime', '--version'],
    sentence: "needs libfaketime (Debian's package faketime)",
  },
  strace: {
    command: ['strace', '--version'],
    sentence: "needs strace (Debian's package strace)",
  },
} as const satisfies Record<string, { command: readonly string[]; sentence: string }>;

export type Need = keyof typeof tries;

/** The sentences of what this machine lacks. */
export function lacking(needs: readonly Need[]): string[] {
  return needs.filter((need) => !has(need)).map((need) => tries[need].sentence);
}

function has(need: Need): boolean {
  const [program, ...words] = tries[need].command;
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}
