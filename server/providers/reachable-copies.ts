/**
 * Guarantees that no upstream gets the customer's own URL of a video that is edited. An edit is
 * priced by the measured length, and the file could be replaced after it was measured, so the
 * upstream must get our copy. It reaches our copies only at a public URL.
 */
import { editingDuration } from '@vidgen/contract/create-generation.ts';
import type { Provider } from './provider.ts';

const unreachableCopy =
  `input.duration ${editingDuration} (editing) needs VIDGEN_PUBLIC_URL, which the operator can ` +
  'set; give the duration in seconds';

/** For an installation without a public URL: declines edits, unless they need no URL of ours. */
export function withoutPublicUrl(provider: Provider): Provider {
  if (provider.downloadsMaterials || provider.cutsToPrice) return provider;
  const unsupportedReason: Provider['unsupportedReason'] = (generation) =>
    generation.duration === editingDuration
      ? unreachableCopy
      : (provider.unsupportedReason?.(generation) ?? null);
  return { ...provider, unsupportedReason };
}
