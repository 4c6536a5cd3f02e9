import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paletteFor } from '../palette.ts';
import { parsePrompt } from '../prompt-brief.ts';
import { randomFrom } from '../random.ts';
import { gradeFor, type Treatment, treatmentOf } from './treatment.ts';

function treatment(prompt: string): Treatment {
  const brief = parsePrompt(prompt);
  return treatmentOf(brief, paletteFor(brief, randomFrom(1)));
}

const prompts: readonly (readonly [
  prompt: string,
  grade: string | null,
  style: Treatment['style'],
  weather: Treatment['weather'],
])[] = [
  ['Make it night', 'night', null, null],
  ['Change the time of day to a warm golden sunset', 'dusk', null, null],
  ['Black and white', 'grey', null, null],
  ['Sepia', 'sepia', null, null],
  ['Snow falls on everything', 'winter', null, 'snow'],
  ['The same in winter', 'winter', null, null],
  ['A rainy night', 'night', null, 'rain'],
  ['A watercolor painting', 'pastel', 'watercolor', null],
  ['An oil painting in the style of Van Gogh', 'vivid', 'oil', null],
  ['A pencil sketch', 'pencil', 'sketch', null],
  ['Anime style', 'vivid', 'comic', null],
  ['8-bit pixel art', 'vivid', 'pixels', null],
  ['Autumn, leaves are falling', 'autumn', null, null],
  ['Make everything purple', 'of a color', null, null],
  ['Remove the cup from the table', null, null, null],
  ['Сделай карандашный набросок', 'pencil', 'sketch', null],
  ['水彩画风格', 'pastel', 'watercolor', null],
];
for (const [prompt, grade, style, weather] of prompts) {
  const about = [grade, style, weather].filter(Boolean).join(', ');
  test(`"${prompt}" is ${about || 'the source'}`, () => {
    const found = treatment(prompt);
    const name = typeof found.grade === 'object' && found.grade ? 'of a color' : found.grade;
    assert.deepEqual([name, found.style, found.weather], [grade, style, weather]);
  });
}

test('does not apply night to a night again', () => {
  const graded = (prompt: string, level: number): number | null => {
    const frame = new Uint8Array(400 * 4).fill(level);
    return gradeFor(treatment(prompt), frame)?.transform([level, level, level])[1] ?? null;
  };
  assert.ok(graded('Make it night', 140)! < 90, 'a day becomes dark');
  assert.equal(graded('Make it night', 60), null);
  assert.ok(graded('Make it night', 80)! > 65, 'little is left to darken');
});
