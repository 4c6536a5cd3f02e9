/**
 * The music of a clip: composed from the seed for its mood and its length, with a beginning, a
 * climb and an ending that rings out, over the sounds of the place. Made a second at a time.
 */
import { randomFrom } from '../random.ts';
import { createAmbience } from './ambience/ambience.ts';
import { createDrums } from './drums.ts';
import { createEcho } from './echo.ts';
import { createEnsemble } from './ensemble.ts';
import { createFilter, createLevelKeeper, mixIn, spansOf } from './filters.ts';
import { createForm, type Form } from './form.ts';
import { limited } from './limiter.ts';
import { moodPlans } from './moods/moods.ts';
import type { MoodPlan, Player } from './moods/plan.ts';
import type { Note } from './note.ts';
import { createReverberation } from './reverberation.ts';
import { writeScore } from './score.ts';
import {
  type Ambience,
  type Block,
  createStereo,
  type Mood,
  type Sound,
  type Stereo,
  sampleRate,
  samplesIn,
} from './sound.ts';
import { createStruck } from './struck.ts';
import { createTables } from './timbres.ts';

/** Leaves room for what a lossy codec adds to a peak. */
const ceiling = 0.84;
const fadeInSeconds = 0.08;
/** Silent this long before the end, so that the cut falls into nothing. */
const silentSeconds = 0.05;

export type MusicOptions = {
  readonly seed: number;
  readonly seconds: number;
  readonly mood: Mood;
  readonly ambience: readonly Ambience[];
  /** 1 is usual; 0.6 is slow, 1.8 is fast. */
  readonly pace: number;
};

export function createMusic(options: MusicOptions): Sound {
  const { seconds } = options;
  const total = samplesIn(seconds);
  let play: ((out: Stereo, block: Block) => void) | null = null;
  let from = 0;
  const out = createStereo();
  const raw: Sound = {
    async next() {
      const block = { from, count: Math.min(sampleRate, total - from) };
      if (block.count <= 0) return null;
      play ??= createOrchestra(options);
      play(out, block);
      from += block.count;
      return interleaved(out, block, seconds);
    },
    async close() {},
  };
  return limited(raw, ceiling);
}

/** Everything that sounds, in one room. */
function createOrchestra(options: MusicOptions): (out: Stereo, block: Block) => void {
  const { seed, seconds } = options;
  const plan = moodPlans[options.mood];
  const composing = randomFrom(seed ^ 0x5bd1e995);
  const form = createForm(composing, { plan, seconds, pace: options.pace });
  const score = writeScore(composing, plan, form);
  const playing = randomFrom(seed ^ 0x2545f491);
  const tables = createTables(seed);
  const perform = (notes: readonly Note[], player: Player): Performance =>
    performanceOf({ notes, player, tables, random: playing });
  const pad = perform(score.pad, plan.pad.player);
  const singles = [
    perform(score.figure, plan.figure.player),
    ...(plan.tune ? [perform(score.tune, plan.tune.player)] : []),
  ];
  const bass = perform(score.bass, plan.bass.player);
  const drums = createDrums(score.hits, playing);
  const ambience = createAmbience(options.ambience, {
    ...{ seconds, tables },
    seed: seed ^ 0x1b873593,
    tonic: score.tonic,
  });
  const brighten = createBrightness(plan, form);
  const echo = createEcho({ delaySeconds: form.beatSeconds * 0.75, feedback: 0.42 });
  const room = createReverberation(plan.reverberation);
  const levels = [createLevelKeeper(), createLevelKeeper()] as const;
  const [bus, echoed, far, nature] = [
    createStereo(),
    createStereo(),
    createStereo(),
    createStereo(),
  ];

  return (out, block) => {
    const { count } = block;
    for (const one of [out, far, nature]) clear(one, count);
    const layer = (
      players: readonly Performance[],
      sends: { room: number; echo: number },
    ): void => {
      clear(bus, count);
      for (const player of players) player(bus, block);
      if (sends.echo > 0) {
        echo(bus, echoed, count);
        add(bus, echoed, { count, level: sends.echo });
      }
      add(out, bus, { count, level: plan.gain });
      add(far, bus, { count, level: sends.room * plan.gain });
    };
    layer([pad, brighten], { room: 0.8, echo: 0 });
    layer(singles, { room: 1, echo: plan.echo });
    layer([bass], { room: 0.12, echo: 0 });
    layer([drums], { room: 0.35, echo: 0 });
    ambience(nature, far, block);
    room(far, count);
    add(out, far, { count, level: plan.reverberation.level });
    add(out, nature, { count, level: 1 });
    levels[0](out.left, count);
    levels[1](out.right, count);
  };
}

type Performance = (bus: Stereo, block: Block) => void;

function performanceOf(options: {
  readonly notes: readonly Note[];
  readonly player: Player;
  readonly tables: ReturnType<typeof createTables>;
  readonly random: ReturnType<typeof randomFrom>;
}): Performance {
  const { notes, player, tables, random } = options;
  const { loudness } = player;
  return 'struck' in player
    ? createStruck({ notes, loudness, random, instrument: player.struck })
    : createEnsemble({
        ...{ notes, loudness, random, tables },
        timbre: player.ensemble,
        bowing: player.bowing,
      });
}

/** The pad opens with the piece, breathes with each chord, and closes over the last one. */
function createBrightness(plan: MoodPlan, form: Form): (bus: Stereo, block: Block) => void {
  const filters = { left: createFilter('low'), right: createFilter('low') };
  const { from, to } = plan.pad.openHertz;
  const breathSeconds = form.beatSeconds * (form.passages[0]?.beats ?? 4);
  return (bus, block) => {
    for (const span of spansOf(block.count)) {
      const second = (block.from + span.from) / sampleRate;
      const breath = 0.5 - 0.5 * Math.cos((2 * Math.PI * second) / breathSeconds);
      const after = Math.max(0, second - form.endingAt) / (form.seconds - form.endingAt);
      const share = form.fullness(second) * (0.75 + 0.25 * breath) * (1 - 0.7 * after);
      const hertz = from * (to / from) ** share;
      filters.left(bus.left, span, { hertz });
      filters.right(bus.right, span, { hertz });
    }
  };
}

function clear({ left, right }: Stereo, count: number): void {
  left.fill(0, 0, count);
  right.fill(0, 0, count);
}

function add(to: Stereo, from: Stereo, { count, level }: { count: number; level: number }): void {
  mixIn(to.left, from.left, { from: 0, to: count, level });
  mixIn(to.right, from.right, { from: 0, to: count, level });
}

/** As the encoder wants it, faded at both ends of the clip. */
function interleaved({ left, right }: Stereo, block: Block, seconds: number): Float32Array {
  const samples = new Float32Array(block.count * 2);
  const fadeOutSeconds = Math.min(1.8, seconds * 0.22);
  for (let at = 0; at < block.count; at += 1) {
    const now = (block.from + at) / sampleRate;
    const rise = Math.min(1, now / fadeInSeconds);
    const fall = Math.max(0, Math.min(1, (seconds - silentSeconds - now) / fadeOutSeconds));
    const level = rise * fall ** 1.5;
    samples[at * 2] = left[at]! * level;
    samples[at * 2 + 1] = right[at]! * level;
  }
  return samples;
}
