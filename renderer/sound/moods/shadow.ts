/** Dark and tense: low, minor, and never quite at home. */
import { _, firmly, type MoodPlan, slowly } from './plan.ts';

export const dark: MoodPlan = {
  beatsPerMinute: { from: 52, to: 62 },
  tonic: { from: 45, to: 50 },
  scale: [0, 1, 3, 5, 7, 8, 10],
  progressions: [
    [
      [0, 'minorAdd9'],
      [8, 'major7'],
      [5, 'minor'],
      [1, 'major'],
    ],
    [
      [0, 'minor'],
      [0, 'minorFlat6'],
      [5, 'minor6'],
      [1, 'lydian'],
    ],
    [
      [0, 'minor'],
      [3, 'minor'],
      [8, 'minor'],
      [11, 'diminished'],
    ],
  ],
  ending: [0, 'minorAdd9'],
  pad: {
    range: { from: 45, to: 64 },
    player: { ensemble: 'shade', bowing: slowly, loudness: 0.173 },
    openHertz: { from: 420, to: 1300 },
  },
  figure: {
    player: { struck: 'piano', loudness: 0.089 },
    stepsPerBeat: 2,
    patterns: [
      [0, _, _, 3, _, 2, _, _],
      [_, _, 1, _, 3, _, 4, _],
      [0, _, 2, _, _, 3, _, 1],
    ],
    lift: 0,
  },
  tune: {
    player: { struck: 'bell', loudness: 0.132 },
    liveliness: 'sparse',
    range: { from: 67, to: 79 },
  },
  bass: {
    player: { ensemble: 'drone', bowing: slowly, loudness: 0.319 },
    beats: [0],
    low: 33,
  },
  drums: [{ drum: 'boom', steps: 'X...............', loudness: 0.231 }],
  finale: [{ drum: 'boom', loudness: 0.347 }],
  echo: 0.22,
  reverberation: { seconds: 3.6, softness: 0.6, level: 0.7 },
  gain: 0.95,
};

export const tense: MoodPlan = {
  beatsPerMinute: { from: 104, to: 120 },
  tonic: { from: 45, to: 50 },
  scale: [0, 2, 3, 5, 7, 8, 11],
  progressions: [
    [
      [0, 'minor'],
      [0, 'minorFlat6'],
      [0, 'minor6'],
      [1, 'major'],
    ],
    [
      [0, 'minor'],
      [1, 'lydian'],
      [0, 'minorFlat6'],
      [11, 'diminished'],
    ],
    [
      [0, 'minorAdd9'],
      [3, 'minor'],
      [6, 'diminished'],
      [1, 'major'],
    ],
  ],
  ending: [0, 'minorAdd9'],
  pad: {
    range: { from: 50, to: 67 },
    player: { ensemble: 'strings', bowing: firmly, loudness: 0.132 },
    openHertz: { from: 450, to: 3400 },
  },
  figure: {
    player: { struck: 'muted', loudness: 0.336 },
    stepsPerBeat: 4,
    patterns: [
      [1, _, 1, 1, 2, _, 1, 1, 3, _, 1, 1, 2, _, 1, 1],
      [1, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 1, 3, 2, 1],
      [1, _, 2, _, 1, 3, _, 2, 1, _, 2, _, 4, 3, 2, 1],
    ],
    lift: 0,
  },
  tune: {
    player: { ensemble: 'strings', bowing: slowly, loudness: 0.15 },
    liveliness: 'sparse',
    range: { from: 74, to: 86 },
  },
  bass: {
    player: { struck: 'bass', loudness: 0.096 },
    beats: [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5],
    low: 33,
  },
  drums: [
    { drum: 'heart', steps: 'X..x....X..x....', loudness: 0.399 },
    { drum: 'tick', steps: 'x.x.X.x.x.x.X.x.', loudness: 0.114 },
  ],
  finale: [
    { drum: 'swell', loudness: 0.247 },
    { drum: 'boom', loudness: 0.475 },
  ],
  echo: 0.12,
  reverberation: { seconds: 1.9, softness: 0.5, level: 0.4 },
  gain: 0.97,
};
