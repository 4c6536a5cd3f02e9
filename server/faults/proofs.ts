/** Every proof, in the order in which they are run and shown. */
import { kills } from './kills/kills.ts';
import { pauses } from './kills/pauses.ts';
import type { Proof } from './proof.ts';

export const proofs: readonly Proof[] = [kills, pauses];
