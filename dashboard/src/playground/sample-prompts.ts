/** Example prompts, shown before the first task. The preview draws all of them. */
export const samplePrompts: readonly string[] = [
  'A paper boat drifts across a quiet lake at dusk, slow dolly in',
  'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
  'Sunflowers sway in a field in golden backlight, slow dolly in',
  'A snowy village at night, warm windows between the pines, snow falling slowly',
];
