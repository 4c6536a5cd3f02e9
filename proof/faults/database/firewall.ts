/**
 * Packets that are dropped by the kernel (nftables), as between machines whose network has come
 * apart. Only for a process with a network of its own (`apart.ts`): its rules are gone with it.
 */
import { execFileSync } from 'node:child_process';

const nft = (...args: string[]): void =>
  void execFileSync('nft', args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Nothing gets to this port or away from it, in connections old and new. */
export function dropPackets({ port }: { port: number }): void {
  nft('add', 'table', 'inet', 'vidgen');
  nft('add', 'chain', 'inet', 'vidgen', 'lost', '{ type filter hook input priority 0 ; }');
  for (const side of ['dport', 'sport']) {
    nft('add', 'rule', 'inet', 'vidgen', 'lost', 'tcp', side, String(port), 'drop');
  }
}

export function letThrough(): void {
  nft('flush', 'chain', 'inet', 'vidgen', 'lost');
}
