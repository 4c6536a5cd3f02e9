/**
 * Every prompt in the README, the guides, the API reference and the dashboard is one that the
 * preview draws with its subject.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parsePrompt } from './prompt-brief.ts';

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
/** A price is asked for, or the line is no prompt. */
const neverDrawn = new Set(['What does it cost', 'InputTextSensitiveContentDetected']);

test('finds the example prompts', () => {
  assert(found.size > 20, `${found.size}`);
  for (const prompt of shownByMaterials) {
    assert(found.has(prompt), `no file has the example “${prompt}”`);
  }
});

for (const [prompt, file] of found) {
  if (neverDrawn.has(prompt) || shownByMaterials.has(prompt)) continue;
  test(`draws the example with its subject: ${prompt}`, () => {
    const { scene, isTitled } = parsePrompt(prompt);
    assert(scene !== 'flow' && !isTitled, `${file} has an example that is not drawn`);
  });
}
