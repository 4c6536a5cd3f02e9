/** What a sound of nature is given, and what it does with each block. */
import type { Random } from '../../random.ts';
import type { Block, Stereo } from '../sound.ts';
import type { Tables } from '../timbres.ts';

export type Surroundings = {
  readonly random: Random;
  /** Of the whole clip. */
  readonly seconds: number;
  /** The key note of the music, for what has a tone of its own. */
  readonly tonic: number;
  readonly tables: Tables;
};

/** Adds itself to the bus. Blocks come in their order. */
export type AmbienceLayer = (bus: Stereo, block: Block) => void;
