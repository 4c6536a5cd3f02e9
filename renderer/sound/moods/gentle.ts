/** Calm and dreamy: no drums, much room, chords that rest in themselves. */
import { _, type MoodPlan, majorScale, slowly } from './plan.ts';

export const calm: MoodPlan = {
  beatsPerMinute: { from: 66, to: 80 },
  tonic: { from: 48, to: 55 },
  scale: majorScale,
  progressions: [
    [
      [0, 'add9'],
      [9, 'minor7'],
      [5, 'major7'],
      [7, 'suspended4'],
    ],
    [
      [0, 'major7'],
      [4, 'minor7'],
      [5, 'major9'],
      [7, 'dominant7'],
    ],
    [
      [0, 'add9'],
      [5, 'major7'],
      [9, 'minor7'],
      [7, 'suspended4'],
    ],
  ],
  ending: [0, 'add9'],
  pad: {
    range: { from: 52, to: 71 },
    player: { ensemble: 'warm', bowing: slowly, loudness: 0.12 },
    openHertz: { from: 700, to: 2400 },
  },
  figure: {
    player: { struck: 'piano', loudness: 0.096 },
    stepsPerBeat: 2,
    patterns: [
      [0, 2, 3, 4, 3, 2, 3, 2],
      [0, 1, 2, 3, 4, 3, 2, 3],
      [0, 2, 4, 3, 0, 2, 3, _],
    ],
    lift: 0,
  },
  tune: {
    player: { struck: 'piano', loudness: 0.29 },
    liveliness: 'sparse',
    range: { from: 69, to: 84 },
  },
  bass: { player: { struck: 'bass', loudness: 0.139 }, beats: [0], low: 36 },
  drums: [],
  finale: [],
  echo: 0.16,
  reverberation: { seconds: 2.4, softness: 0.55, level: 0.5 },
  gain: 0.95,
};

export const dreamy: MoodPlan = {
  beatsPerMinute: { from: 60, to: 72 },
  tonic: { from: 48, to: 55 },
  scale: [0, 2, 4, 6, 7, 9, 11],
  progressions: [
    [
      [0, 'major9'],
      [2, 'major'],
      [5, 'major9'],
      [5, 'minor6'],
    ],
    [
      [0, 'major7'],
      [4, 'minor7'],
      [9, 'minor9'],
      [5, 'major9'],
    ],
    [
      [0, 'lydian'],
      [9, 'minor9'],
      [5, 'major7'],
      [10, 'add9'],
    ],
  ],
  ending: [0, 'major9'],
  pad: {
    range: { from: 53, to: 74 },
    player: { ensemble: 'glass', bowing: slowly, loudness: 0.157 },
    openHertz: { from: 900, to: 3600 },
  },
  figure: {
    player: { struck: 'celesta', loudness: 0.19 },
    stepsPerBeat: 2,
    patterns: [
      [1, 3, 4, 5, 4, 3, 2, 3],
      [2, 4, 3, 5, _, 4, 3, _],
      [1, 2, 4, _, 5, 4, 2, _],
    ],
    lift: 12,
  },
  tune: {
    player: { struck: 'bell', loudness: 0.18 },
    liveliness: 'flowing',
    range: { from: 72, to: 88 },
  },
  bass: { player: { struck: 'bass', loudness: 0.123 }, beats: [0], low: 36 },
  drums: [],
  finale: [{ drum: 'swell', loudness: 0.12 }],
  echo: 0.34,
  reverberation: { seconds: 3.4, softness: 0.35, level: 0.8 },
  gain: 0.92,
};
