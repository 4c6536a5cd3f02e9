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
  ['Waves crash against black rocks in a violent storm', { scene: 'sea', weather: 'storm' }],
  ['A wooden ship sails into the fog', { scene: 'sea', weather: 'fog', shows: ['ship'] }],
  ['The moon rose from the sea', { scene: 'sea', time: 'night', shows: ['moon'] }],
  ['A surfer rides a big wave, drone shot', { scene: 'sea', camera: 'dolly 1 1' }],
  ['Jellyfish glowing in the deep sea', { scene: 'sea', shows: ['jellyfish', 'underwater'] }],
  ['A beautiful sunset', { scene: 'sea', time: 'dusk' }],
  ['Two friends stranded on a desert island', { scene: 'sea' }],
  ['Mountain lake with mirror reflection, morning', { scene: 'mountains', time: 'dawn' }],
  ['Snow-capped mountains under a clear sky', { scene: 'mountains', weather: 'clear' }],
  ['Northern lights over a quiet valley', { scene: 'mountains', time: 'night' }],
  ['Hot air balloons at golden hour', { scene: 'mountains', time: 'dusk', shows: ['balloon'] }],
  ['A waterfall, tilt up', { scene: 'mountains', camera: 'tilt 1 1', shows: ['waterfall'] }],
  ['Neon city skyline in the rain, cinematic', { scene: 'city', weather: 'rain' }],
  ['Streets of Tokyo at night, tracking shot', { scene: 'city', time: 'night' }],
  ['Fireworks over the city', { scene: 'city', time: 'night' }],
  ['A fire truck races through downtown', { scene: 'city' }],
  ['An astronaut drifting past a ringed planet', { scene: 'space' }],
  ['Milky way timelapse', { scene: 'space', time: 'night', camera: 'drift 1 1.8' }],
  ['Sunlight in an old forest, god rays', { scene: 'forest', shows: ['rays'] }],
  ['Fireflies in a forest', { scene: 'forest', time: 'night', shows: ['fireflies'] }],
  ['A red fox walking through autumn leaves', { scene: 'forest', shows: ['autumn'] }],
  ['Birds sing in the woods at daybreak', { scene: 'forest', time: 'dawn', shows: ['birds'] }],
  ['Rain on a window, blurred city lights behind', { scene: 'rain', weather: 'rain' }],
  ['A rainy day', { scene: 'rain', weather: 'rain', time: 'day' }],
  ['A snowy village at night', { scene: 'snow', time: 'night', shows: ['house'] }],
  ['Deer in a winter forest', { scene: 'snow' }],
  ['Camels crossing sand dunes at dusk', { scene: 'desert', time: 'dusk', shows: ['camels'] }],
  ['The pyramids of Giza, pan left', { scene: 'desert', camera: 'pan -1 1' }],
  ['A sandstorm swallows the caravan', { scene: 'desert', shows: ['sandstorm'], weather: null }],
  ['A campfire under the stars', { scene: 'fire', time: 'night' }],
  ['Lava flowing down a volcano', { scene: 'mountains', shows: ['volcano'] }],
  ['A field of sunflowers in summer', { scene: 'flowers', time: 'day' }],
  ['A single rose, slow zoom in', { scene: 'flowers', camera: 'zoom 1 0.6' }],
  // Words in another sense.
  ['Icing on a cake', { scene: 'flow' }],
  ['A pan of soup on the stove', { scene: 'flow', camera: 'drift 1 1' }],
  ['She waves at the camera', { scene: 'flow' }],
  ['Prices rose and people fell silent', { scene: 'flow', mood: 'calm' }],
  ['A movie star at breakfast', { scene: 'flow', time: null, camera: 'drift 1 1' }],
  ['A dancer in slow motion', { scene: 'flow', mood: 'joyful', camera: 'drift 1 0.5' }],
  ['He falls asleep in an office chair, static shot', { scene: 'city', camera: 'still 1 1' }],
  ['The first day of fall, fall colors everywhere', { scene: 'flow', shows: ['autumn'] }],
  ['The feeling of a quiet idea becoming music', { scene: 'flow', mood: 'calm' }],
  ['Start of the season: terrain, training, brainstorming', { scene: 'flow', weather: null }],
  ['A knight in the seashell museum', { scene: 'flow', time: null }],
  ['A cup of tea, steam rising, soft morning light', { scene: 'flow', time: 'dawn' }],
  ['A Lunar New Year parade', { scene: 'city', time: 'night' }],
  // Negated words are ignored.
  ['The city at night, no rain, no people', { scene: 'city', time: 'night', weather: null }],
  ['Mountains without snow', { scene: 'mountains', weather: null }],
  // Cameras.
  ['Pan right across the harbour', { scene: 'sea', camera: 'pan 1 1' }],
  ['Quick pan to the left over rooftops', { scene: 'city', camera: 'pan -1 1.8' }],
  ['The camera pulls back from the castle', { scene: 'mountains', camera: 'dolly -1 1' }],
  ['The camera orbits around a tree', { scene: 'forest', camera: 'orbit 1 1' }],
  ['Crane up over the meadow', { scene: 'flowers', camera: 'tilt 1 1' }],
  ['A crane bird, static camera, no camera movement', { scene: 'flow', camera: 'still 1 1' }],
  // Other languages.
  ['Un faro en la costa al atardecer', { scene: 'sea', time: 'dusk', shows: ['lighthouse'] }],
  ['Forêt enneigée au lever du soleil', { scene: 'snow', time: 'dawn' }],
  ["Coucher de soleil sur l'océan", { scene: 'sea', time: 'dusk' }],
  ['Eine Stadt bei Nacht im Regen', { scene: 'city', time: 'night', weather: 'rain' }],
  ['Un campo di girasoli a mezzogiorno', { scene: 'flowers', time: 'day' }],
  ['Ночной город под дождём', { scene: 'city', time: 'night', weather: 'rain' }],
  ['Рассвет в горах, туман', { scene: 'mountains', time: 'dawn', weather: 'fog' }],
  ['雪山の谷、夕暮れ', { scene: 'mountains', time: 'dusk' }],
  ['日落时的大海和灯塔', { scene: 'sea', time: 'dusk', shows: ['lighthouse'] }],
  ['桜の花びらが舞う朝', { scene: 'flowers', time: 'dawn' }],
  ['밤하늘의 별과 바다', { scene: 'sea', time: 'night' }],
  ['مدينة ساحلية عند الغروب', { scene: 'city', time: 'dusk' }],
  ['पहाड़ों में सूर्योदय', { scene: 'mountains', time: 'dawn' }],
  ['रात में बारिश', { scene: 'rain', time: 'night' }],
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

test('knows a subject that its scene does not draw', () => {
  const missing = [
    'A robot walks through a neon city',
    'A dragon flies over the mountains',
    'A red tram crosses a snowy old town at night',
    'Macro shot of a bee landing on a sunflower',
    'In a neon city, a robot dances',
    'A fox in the snow',
    'Deer in a winter forest',
    'A drone shot of a waterfall in the jungle',
    'A zamboni drives through Tokyo',
    'People walk along a beach at sunset',
    'Ein Roboter am Meer',
    '猫在海边',
  ];
  for (const prompt of missing) assert(parsePrompt(prompt).isSubjectMissing, prompt);
});

test('draws the place that a prompt is about, whatever else is in it', () => {
  const shown = [
    'A beach at sunset with a dog',
    'A deer in an autumn forest',
    'An astronaut floats above Earth',
    'Golden light over the sea',
    'A view over the sea',
    'A quiet morning in the mountains',
    'A narrow path through the forest',
    'A time lapse of clouds over the city',
    'A city without cars',
    'The camera glides over the sea toward a lighthouse',
  ];
  for (const prompt of shown) assert(!parsePrompt(prompt).isSubjectMissing, prompt);
});
