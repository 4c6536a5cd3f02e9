/** What is wrong with one address, in words. Whether we would go there is `egress`'s to say. */
import type { Problem } from '@vidgen/contract/problem.ts';
import { shownValue } from '@vidgen/contract/shown-value.ts';
import { textFault } from '@vidgen/contract/text.ts';
import { broken, type CheckAddress } from './draft.ts';

export function addressProblems(
  address: string,
  {
    path,
    kind,
    checkAddress,
  }: {
    readonly path: string;
    readonly kind: 'callback' | 'material';
    readonly checkAddress: CheckAddress;
  },
): Problem[] {
  const fault = textFault(address);
  if (fault !== null) return [broken(path, fault)];
  const checked = checkAddress(address, kind);
  if (checked.ok) return [];
  return [broken(path, `${checked.rule} (got ${shownValue(withoutPassword(address))})`)];
}

/** Messages are logged; a name and password in an address are not ours to write down. */
const withoutPassword = (address: string): string =>
  address.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1…@');
