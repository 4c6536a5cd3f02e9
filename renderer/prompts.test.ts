/** Sixty ordinary prompts, and the kind of picture that each becomes. None shows a wrong place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrompt } from './prompt-brief.ts';

/**
 * A scene alone is drawn as asked. `+ title` is the place with the prompt set large on it, and
 * `card` the prompt on an abstract ground.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  sea: [
    'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
    'A sailboat on the ocean at sunset',
    'Waves roll onto a wide beach at dawn',
    'A paper boat drifts across a quiet lake',
    'Un faro en la costa al atardecer',
    '日落时的大海和灯塔',
    'غروب الشمس فوق البحر',
  ],
  'sea + title': [
    'A golden retriever runs along the beach at sunset',
    'A romantic dinner on the beach',
    'Ein Roboter am Meer',
    'Une femme marche sur la plage',
    '猫在海边',
  ],
  city: [
    'Neon city skyline in the rain, cinematic',
    'New York at night',
    'Ночной город под дождём',
  ],
  'city + title': [
    'A robot walks through a neon city',
    'Streets of Tokyo at night',
    '東京の夜、犬が走る',
  ],
  desert: ['Sand dunes at dusk', 'रेगिस्तान में सूर्योदय'],
  'desert + title': [
    'A sports car speeds through the desert',
    'Camels cross the dunes of the Sahara',
  ],
  forest: ['An autumn forest, morning mist', 'Sunlight in an old forest'],
  'forest + title': ['A deer in a forest', 'Un loup dans la forêt', 'Ein Pilz im Wald'],
  mountains: [
    'Snow-capped mountains under a clear sky',
    'Northern lights over a quiet valley',
    'A mountain lake at dawn',
    'पहाड़ों में सूर्योदय',
  ],
  'mountains + title': ['A dragon flies over the mountains', 'A castle in the Alps', '산의 호랑이'],
  space: ['An orbit above planet Earth, stars', 'Saturn and its rings'],
  'space + title': ['An astronaut drifting through outer space', 'A spiral galaxy'],
  snow: ['A snowy village at night, warm windows between the pines', 'Ein verschneites Dorf'],
  'snow + title': ['A deer in a snowy forest', 'A red train in a winter landscape'],
  fire: ['A campfire under the stars'],
  'fire + title': ['Two friends at a campfire'],
  flowers: ['A meadow of wildflowers', 'Sunflowers sway in a field'],
  'flowers + title': ['A child runs through a meadow'],
  flow: ['Abstract waves of the ocean', 'Abstract city lights, liquid shapes'],
  card: [
    'A bowl of ramen with steam rising',
    'Product shot of a perfume bottle on black marble',
    'A knight in the seashell museum',
    'She waves at the camera',
    'A woman walks through Paris in the rain',
    'London at night',
    'A temple in Kyoto',
    'The market of Marrakesh',
    'Lava flows into the sea',
    'A coral reef under the sea',
    'Mars',
    'A jungle waterfall',
    'A city at noon',
    'A paper boat on a rainy street',
    'Um mercado em Lisboa à noite',
    'Un vulcano al tramonto',
    'キッチンの猫',
  ],
};

for (const [kind, prompts] of Object.entries(kinds)) {
  for (const prompt of prompts) {
    test(`${kind}: ${prompt}`, () => {
      const { scene, isTitled } = parsePrompt(prompt);
      const place = scene === 'flow' && isTitled ? 'card' : isTitled ? `${scene} + title` : scene;
      assert.equal(place, kind);
    });
  }
}

test('never adds weather that the prompt does not name', () => {
  for (const prompt of Object.values(kinds).flat()) {
    const { weather } = parsePrompt(prompt);
    const isNamed = /mist|rain|snow|clear|дожд|verschneit/i.test(prompt);
    if (!isNamed) assert.equal(weather, null, prompt);
  }
});
