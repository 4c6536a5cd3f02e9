import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paletteFor } from '../palette.ts';
import { parsePrompt } from '../prompt-brief.ts';
import { randomFrom } from '../random.ts';
import { colorGrades } from './color-grades.ts';
import { type Treatment, treatmentOf } from './treatment.ts';

function treatment(prompt: string): Treatment {
  const brief = parsePrompt(prompt);
  return treatmentOf(brief, paletteFor(brief, randomFrom(1)));
}

const named = ({ transform }: Treatment['grade']): string =>
  Object.entries(colorGrades).find(([, grade]) => grade.transform === transform)?.[0] ??
  'of a color';

const prompts: readonly (readonly [string, string, Treatment['style'], Treatment['particles']])[] =
  [
    ['Make it night', 'night', null, null],
    ['Change the time of day to a warm golden sunset', 'dusk', null, null],
    ['Black and white', 'noir', null, null],
    ['Make it look like vintage super 8 film', 'film', null, null],
    ['Sepia', 'sepia', null, null],
    ['Turn it into a cyberpunk street at night in the rain', 'neon', null, 'rain'],
    ['Snow falls on everything', 'winter', null, 'snow'],
    ['A rainy night', 'night', null, 'rain'],
    ['A watercolor painting', 'pastel', 'watercolor', null],
    ['An oil painting in the style of Van Gogh', 'vivid', 'oil', null],
    ['A pencil sketch', 'pencil', 'sketch', null],
    ['Anime style', 'vivid', 'comic', null],
    ['8-bit pixel art', 'vivid', 'pixels', null],
    ['Autumn, leaves are falling', 'autumn', null, 'leaves'],
    ['Cherry blossoms drift through the air', 'spring', null, 'petals'],
    ['Make everything purple', 'of a color', null, null],
    ['Remove the cup from the table', 'of a color', null, null],
    ['Сделай карандашный набросок', 'pencil', 'sketch', null],
    ['水彩画风格', 'pastel', 'watercolor', null],
  ];
for (const [prompt, grade, style, particles] of prompts) {
  const about = [grade, style, particles].filter((part) => part !== null).join(', ');
  test(`"${prompt}" is ${about}`, () => {
    const found = treatment(prompt);
    assert.deepEqual([named(found.grade), found.style, found.particles], [grade, style, particles]);
  });
}
