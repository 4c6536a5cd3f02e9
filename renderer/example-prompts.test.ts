/**
 * Every prompt in the README, the guides, the API reference and the dashboard is one that the
 * preview draws with its subject.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parsePrompt } from './prompt-brief.ts';
import type { SceneKind, Thing } from './vocabulary/meaning.ts';

const root = join(import.meta.dirname, '..');

const files = [
  ...['README.md', 'examples/README.md', 'docs/cli.md', 'docs/self-hosting-models.md'],
  ...filesIn('docs/guides', '.md'),
  ...filesIn('cli', '.mjs'),
  ...filesIn('server/api', '.ts').filter((name) => !name.includes('.test.')),
  ...filesIn('dashboard/src', '.ts').filter((name) => !name.includes('test')),
  ...filesIn('dashboard/src', '.tsx'),
];

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

/** As JSON, in code, for a shell, and as a list of samples. */
const patterns = [
  /\bprompt["']? ?[:=] ?["']([A-Z][^"'\n]*)["']/g,
  /--prompt ["']([A-Z][^"'\n]*)["']/g,
  /-F 'prompt=([A-Z][^'\n]*)'/g,
  /^ {2}'([A-Z][^'\n]*)',$/gm,
];

const found = new Map<string, string>();
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const used = file.endsWith('sample-prompts.ts') ? patterns : patterns.slice(0, 3);
  for (const pattern of used) {
    for (const [, prompt] of text.matchAll(pattern)) found.set(prompt!, file);
  }
}

/** What the preview must show for each. */
const drawn: Readonly<Record<string, readonly [SceneKind, ...Thing[]]>> = {
  'A paper boat': ['sea', 'paperboat'],
  'A boat': ['sea', 'boat'],
  'A paper boat on a lake': ['sea', 'paperboat'],
  'A paper boat drifts on a quiet lake': ['sea', 'paperboat'],
  'A paper boat drifts across a quiet lake, slow dolly in': ['sea', 'paperboat'],
  'A paper boat crosses a sunlit lake.': ['sea', 'paperboat'],
  'A paper boat drifts across a lake at dusk': ['sea', 'paperboat'],
  'A paper boat drifts across a quiet lake at dusk, slow dolly in': ['sea', 'paperboat'],
  'The boat sets sail': ['sea', 'boat'],
  'The boat sets sail and the mist lifts': ['sea', 'boat'],
  'The boat drifts on into the night': ['sea', 'boat'],
  'Waves roll onto a wide beach': ['sea', 'beach'],
  'Waves roll onto a wide beach at dawn': ['sea', 'beach'],
  'Waves at dawn': ['sea'],
  'A storm at sea [test:fail]': ['sea'],
  'Rain over the sea at night': ['sea'],
  'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea': ['sea', 'lighthouse'],
  'Sunflowers sway in a field in golden backlight, slow dolly in': ['flowers'],
  'A snowy village at night, warm windows between the pines, snow falling slowly': [
    'snow',
    'village',
  ],
};

/** Shown by the materials of the request; the prompt adds place, weather and camera. */
const shownByMaterials = new Set([
  'The fox from the images runs through snow, to the rhythm of the song',
  'Turn the street in the video into a snowy night',
  'Continue the video: the camera moves along the coast into the sunset',
  'Continue the shot until the boat reaches the harbour',
  'Make the street snowy',
  'The boat reaches the harbor',
  'The boat sails through the street to the music',
  'The boat unfolds into a swan',
]);
/** Asks for a price only. */
const neverDrawn = new Set(['What does it cost']);

test('finds the example prompts', () => {
  assert(found.size > 20, `${found.size}`);
  for (const prompt of [...Object.keys(drawn), ...shownByMaterials]) {
    assert(found.has(prompt), `no file has the example “${prompt}”`);
  }
});

for (const [prompt, file] of found) {
  if (neverDrawn.has(prompt)) continue;
  test(`draws the example with its subject: ${prompt}`, () => {
    if (shownByMaterials.has(prompt)) return;
    const expected = drawn[prompt];
    assert(
      expected,
      `${file} has a new example: add what the preview shows for it, and look at it`,
    );
    const [scene, ...things] = expected;
    const brief = parsePrompt(prompt);
    assert.equal(brief.scene, scene);
    assert.equal(brief.isTitled, false);
    for (const thing of things) assert(brief.shows(thing), thing);
  });
}
