import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrompt } from './prompt-brief.ts';

/** The expected brief; missing fields may have any value. */
type Read = {
  readonly scene: string;
  readonly time?: string | null;
  readonly weather?: string | null;
  readonly mood?: string;
  readonly camera?: string;
  readonly shows?: readonly string[];
};

const prompts: readonly (readonly [prompt: string, read: Read])[] = [
  [
    'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
    { scene: 'sea', time: 'dawn', weather: 'fog', camera: 'dolly 1 0.6', shows: ['lighthouse'] },
  ],
  ['Ocean waves crash against rocks in a violent storm', { scene: 'sea', weather: 'storm' }],
  ['A wooden boat sails into the fog', { scene: 'sea', weather: 'fog', shows: ['boat'] }],
  ['A mountain lake, morning', { scene: 'mountains', time: 'dawn', shows: ['lake'] }],
  ['Northern lights over a quiet valley', { scene: 'mountains', time: 'night' }],
  ['A forest timelapse', { scene: 'forest', camera: 'drift 1 1.8' }],
  ['A cabin in winter', { scene: 'snow', weather: null, shows: ['house'] }],
  ['A snowy village at night', { scene: 'snow', time: 'night', weather: 'snow' }],
  // Words in another sense, and one word that only hints at a place.
  ['Icing on a cake', { scene: 'flow' }],
  ['A pan of soup on the stove', { scene: 'flow', camera: 'drift 1 1' }],
  ['Prices rose and people fell silent', { scene: 'flow', mood: 'calm' }],
  ['A dancer in slow motion', { scene: 'flow', mood: 'joyful', camera: 'drift 1 0.5' }],
  ['A cup of tea, steam rising, soft morning light', { scene: 'flow', time: 'dawn' }],
  ['A beautiful sunset', { scene: 'flow', time: 'dusk' }],
  ['Neon lights', { scene: 'flow', time: 'night' }],
  // Two places, of which none is the place of the other.
  ['A campfire on the beach', { scene: 'flow' }],
  // Negated words are ignored.
  ['The city at night, no rain, no people', { scene: 'city', time: 'night', weather: null }],
  ['Mountains without snow', { scene: 'mountains', weather: null }],
  // Cameras.
  ['Pan right across the sea', { scene: 'sea', camera: 'pan 1 1' }],
  ['Quick pan to the left over the skyline', { scene: 'city', camera: 'pan -1 1.8' }],
  ['The camera pulls back from the mountains', { scene: 'mountains', camera: 'dolly -1 1' }],
  ['The camera orbits around the campfire', { scene: 'fire', camera: 'orbit 1 1' }],
  ['Crane up over the meadow', { scene: 'flowers', camera: 'tilt 1 1' }],
  ['A crane bird, static camera, no camera movement', { scene: 'flow', camera: 'still 1 1' }],
  // Other languages.
  ['Forêt enneigée au lever du soleil', { scene: 'snow', time: 'dawn' }],
  ['Eine Stadt bei Nacht im Regen', { scene: 'city', time: 'night', weather: 'rain' }],
  ['Un campo di girasoli a mezzogiorno', { scene: 'flowers', time: 'day' }],
  ['Рассвет в горах, туман', { scene: 'mountains', time: 'dawn', weather: 'fog' }],
  ['雪山の谷、夕暮れ', { scene: 'mountains', time: 'dusk' }],
  ['밤하늘의 별과 바다', { scene: 'sea', time: 'night' }],
];

for (const [prompt, expected] of prompts) {
  test(`reads: ${prompt}`, () => {
    const brief = parsePrompt(prompt);
    const { kind, direction, pace } = brief.camera;
    const read = { ...brief, camera: `${kind} ${direction} ${pace}` };
    for (const key of ['scene', 'time', 'weather', 'mood', 'camera'] as const) {
      if (expected[key] !== undefined) assert.equal(read[key], expected[key], key);
    }
    for (const thing of expected.shows ?? []) assert.ok(brief.shows(thing as 'lake'), thing);
  });
}

test('reads hostile text in time proportional to its length', () => {
  const hostile = [
    'a'.repeat(10_000),
    'pan '.repeat(2_500),
    '{a,b}_*\\b(.*)+$'.repeat(600),
    '海'.repeat(10_000),
    '\u0301'.repeat(10_000),
    '\ufdfa'.repeat(10_000),
    '\ud800'.repeat(10_000),
    `${'rose_'.repeat(1_000)}${'no '.repeat(1_000)}`,
  ];
  for (const prompt of hostile) {
    const brief = parsePrompt(prompt);
    assert.ok(brief.words.length <= 4_000);
  }
  assert.equal(parsePrompt('').scene, 'flow');
  assert.equal(parsePrompt('constructor __proto__ toString').scene, 'flow');
});
