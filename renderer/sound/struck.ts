/**
 * Plays struck and plucked notes: each is a handful of decaying partials, and each partial costs
 * two multiplications a sample.
 */
import type { Random } from '../random.ts';
import { mixIn, type Span } from './filters.ts';
import { type Instrument, instruments, type ResonantMode } from './instruments.ts';
import { hertzOf, type Note } from './note.ts';
import { type Block, type Stereo, sampleRate } from './sound.ts';

/** Higher ones are left out: they would only be sharp to the ear. */
const modeHertzMax = 9_500;

/**
 * Partials ring four at a time, because each sample of one has to wait for the one before it:
 * next = turn * now - shrink * before, with twice the cosine of its turn and its decay squared.
 */
type Quartet = {
  readonly last: number;
  readonly turns: Float64Array;
  readonly shrinks: Float64Array;
  readonly now: Float64Array;
  readonly before: Float64Array;
};
const quartetSize = 4;

type Voice = {
  readonly first: number;
  readonly last: number;
  readonly attackSamples: number;
  readonly leftGain: number;
  readonly rightGain: number;
  readonly quartets: readonly Quartet[];
};

export type StruckOptions = {
  readonly notes: readonly Note[];
  /** Of the player: a note's own is how hard it is struck. */
  readonly loudness: number;
  readonly instrument: Instrument;
  readonly random: Random;
};

/** Adds its notes to the bus. Blocks must come in their order. */
export function createStruck(options: StruckOptions): (bus: Stereo, block: Block) => void {
  const waiting = options.notes.toSorted((one, other) => one.startsAt - other.startsAt);
  let ringing: Voice[] = [];
  const scratch = new Float32Array(sampleRate);
  return (bus, block) => {
    const end = block.from + block.count;
    while (waiting[0] && waiting[0].startsAt * sampleRate < end) {
      ringing.push(strike(waiting.shift()!, options));
    }
    for (const voice of ringing) addVoice(bus, block, { voice, scratch });
    ringing = ringing.filter(({ last }) => last > end);
  };
}

function strike(
  note: Note,
  { instrument, loudness, random }: Pick<StruckOptions, 'instrument' | 'loudness' | 'random'>,
): Voice {
  const first = Math.max(0, Math.round(note.startsAt * sampleRate));
  const hertz = hertzOf(note.pitch);
  const { attackSeconds, modes } = instruments[instrument];
  const kept = modes({ hertz, loudness: note.loudness, random })
    .filter((mode) => mode.hertz < modeHertzMax && mode.level > audible)
    .map((mode) => ({ ...mode, heardSeconds: mode.seconds * heardShare(mode.level) }))
    .toSorted((one, other) => one.heardSeconds - other.heardSeconds);
  const quartets: Quartet[] = [];
  for (let at = 0; at < kept.length; at += quartetSize) {
    quartets.push(quartetOf(kept.slice(at, at + quartetSize), first));
  }
  return {
    ...{ first, quartets },
    last: Math.max(...quartets.map(({ last }) => last)),
    attackSamples: Math.round(attackSeconds * sampleRate),
    leftGain: note.loudness * loudness * Math.sqrt(1 - note.pan),
    rightGain: note.loudness * loudness * Math.sqrt(note.pan),
  };
}

/** Below this, 60 dB under a full partial, nobody hears one. */
const audible = 0.0015;
/** The share of its 60 dB that a partial of this level is heard for. */
const heardShare = (level: number): number =>
  Math.min(1.1, Math.log10(level / audible) / Math.log10(1 / audible));

/** Each begins at the zero of its sine, so that nothing clicks. */
function quartetOf(
  modes: readonly (ResonantMode & { readonly heardSeconds: number })[],
  first: number,
): Quartet {
  const [turns, shrinks, now, before] = [four(), four(), four(), four()];
  for (const [index, { hertz, level, seconds }] of modes.entries()) {
    const angle = (2 * Math.PI * hertz) / sampleRate;
    const decay = 10 ** (-3 / (seconds * sampleRate));
    turns[index] = 2 * decay * Math.cos(angle);
    shrinks[index] = decay * decay;
    before[index] = (-level * Math.sin(angle)) / decay;
  }
  const heardSeconds = Math.max(...modes.map((mode) => mode.heardSeconds));
  return { turns, shrinks, now, before, last: first + Math.ceil(heardSeconds * sampleRate) };
}

const four = (): Float64Array => new Float64Array(quartetSize);

function addVoice(
  { left, right }: Stereo,
  block: Block,
  { voice, scratch }: { readonly voice: Voice; readonly scratch: Float32Array },
): void {
  const from = Math.max(0, voice.first - block.from);
  const to = Math.min(block.count, voice.last - block.from);
  scratch.fill(0, from, to);
  for (const quartet of voice.quartets) {
    ring(scratch, quartet, { from, to: Math.min(to, quartet.last - block.from) });
  }
  const attackEnd = Math.min(to, voice.first + voice.attackSamples - block.from);
  for (let at = from; at < attackEnd; at += 1) {
    const share = (block.from + at - voice.first) / voice.attackSamples;
    scratch[at]! *= share * share * (3 - 2 * share);
  }
  mixIn(left, scratch, { from, to, level: voice.leftGain });
  mixIn(right, scratch, { from, to, level: voice.rightGain });
}

/** Written out, since a loop over the four would keep them in memory instead of at hand. */
function ring(scratch: Float32Array, { turns, shrinks, now, before }: Quartet, span: Span): void {
  const [turn1, turn2, turn3, turn4] = [turns[0]!, turns[1]!, turns[2]!, turns[3]!];
  const [shrink1, shrink2, shrink3, shrink4] = [shrinks[0]!, shrinks[1]!, shrinks[2]!, shrinks[3]!];
  let [now1, now2, now3, now4] = [now[0]!, now[1]!, now[2]!, now[3]!];
  let [before1, before2, before3, before4] = [before[0]!, before[1]!, before[2]!, before[3]!];
  for (let at = span.from; at < span.to; at += 1) {
    scratch[at]! += now1 + now2 + now3 + now4;
    const next1 = turn1 * now1 - shrink1 * before1;
    const next2 = turn2 * now2 - shrink2 * before2;
    const next3 = turn3 * now3 - shrink3 * before3;
    const next4 = turn4 * now4 - shrink4 * before4;
    before1 = now1;
    before2 = now2;
    before3 = now3;
    before4 = now4;
    now1 = next1;
    now2 = next2;
    now3 = next3;
    now4 = next4;
  }
  now.set([now1, now2, now3, now4]);
  before.set([before1, before2, before3, before4]);
}
