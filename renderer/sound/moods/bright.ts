/** Joyful and epic: music that moves forward, with drums and a plain goal. */
import { _, briefly, firmly, type MoodPlan, majorScale, minorScale } from './plan.ts';

export const joyful: MoodPlan = {
  beatsPerMinute: { from: 100, to: 116 },
  tonic: { from: 48, to: 55 },
  scale: majorScale,
  progressions: [
    [
      [0, 'major'],
      [7, 'major'],
      [9, 'minor7'],
      [5, 'add9'],
    ],
    [
      [0, 'add9'],
      [5, 'add9'],
      [9, 'minor'],
      [7, 'suspended4'],
    ],
    [
      [0, 'major'],
      [9, 'minor7'],
      [5, 'major7'],
      [7, 'major'],
    ],
  ],
  ending: [0, 'add9'],
  pad: {
    range: { from: 55, to: 72 },
    player: { ensemble: 'warm', bowing: firmly, loudness: 0.091 },
    openHertz: { from: 900, to: 2600 },
  },
  figure: {
    player: { struck: 'harp', loudness: 0.145 },
    stepsPerBeat: 4,
    patterns: [
      [[1, 2, 3], _, 4, _, _, 3, 4, _, [1, 2, 3], _, 4, _, 2, _, 3, 4],
      [0, _, [2, 3], 4, _, [2, 3], 4, _, 1, _, [2, 3], 4, _, [3, 4], 2, _],
      [[0, 2], _, 3, _, 4, _, 3, 2, [1, 3], _, 4, _, 3, _, 4, 3],
    ],
    lift: 12,
  },
  tune: {
    player: { struck: 'kalimba', loudness: 0.247 },
    liveliness: 'lively',
    range: { from: 72, to: 88 },
  },
  bass: { player: { struck: 'bass', loudness: 0.167 }, beats: [0, 1.5, 2, 3.5], low: 36 },
  drums: [
    { drum: 'kick', steps: 'X.......x.x.....', loudness: 0.542 },
    { drum: 'snap', steps: '....x.......X...', loudness: 0.479 },
    { drum: 'shaker', steps: 'x.xxX.x.x.xxX.x.', loudness: 0.319 },
  ],
  finale: [{ drum: 'kick', loudness: 0.638 }],
  echo: 0.14,
  reverberation: { seconds: 1.3, softness: 0.5, level: 0.3 },
  gain: 0.92,
};

export const epic: MoodPlan = {
  beatsPerMinute: { from: 84, to: 96 },
  tonic: { from: 45, to: 51 },
  scale: minorScale,
  progressions: [
    [
      [0, 'minor'],
      [8, 'major'],
      [3, 'major'],
      [10, 'major'],
    ],
    [
      [0, 'minor'],
      [5, 'minor'],
      [8, 'add9'],
      [10, 'suspended4'],
    ],
    [
      [0, 'minor'],
      [3, 'major'],
      [8, 'major7'],
      [10, 'major'],
    ],
  ],
  // The major chord after a minor key: a victory.
  ending: [0, 'major'],
  pad: {
    range: { from: 48, to: 69 },
    player: {
      ensemble: 'grand',
      bowing: { attackSeconds: 0.5, releaseSeconds: 1.1 },
      loudness: 0.184,
    },
    openHertz: { from: 900, to: 4200 },
  },
  figure: {
    player: { ensemble: 'strings', bowing: briefly, loudness: 0.378 },
    stepsPerBeat: 4,
    patterns: [
      [1, _, 1, 1, 3, _, 1, 1, 2, _, 1, 1, 3, _, 2, 1],
      [1, _, 2, 1, 3, _, 2, 1, 4, _, 2, 1, 3, _, 2, 1],
      [1, 1, _, 1, 1, _, 2, _, 1, 1, _, 1, 3, _, 2, _],
    ],
    lift: 0,
  },
  tune: {
    player: {
      ensemble: 'brass',
      bowing: { attackSeconds: 0.12, releaseSeconds: 0.4 },
      loudness: 0.237,
    },
    liveliness: 'sparse',
    range: { from: 60, to: 76 },
  },
  bass: {
    player: {
      ensemble: 'grand',
      bowing: { attackSeconds: 0.08, releaseSeconds: 0.4 },
      loudness: 0.227,
    },
    beats: [0],
    low: 33,
  },
  drums: [
    { drum: 'taiko', steps: 'X..x..x.X..x..xx', loudness: 0.407 },
    { drum: 'boom', steps: 'X...............', loudness: 0.29 },
  ],
  finale: [
    { drum: 'swell', loudness: 0.29 },
    { drum: 'taiko', loudness: 0.581 },
    { drum: 'boom', loudness: 0.484 },
  ],
  echo: 0,
  reverberation: { seconds: 2.8, softness: 0.4, level: 0.5 },
  gain: 0.85,
};
