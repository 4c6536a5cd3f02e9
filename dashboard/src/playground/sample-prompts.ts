/** Example prompts, shown before the first task. The preview draws all of them. */
export const samplePrompts: readonly string[] = [
  'A paper boat sails down a rainy street at dusk, neon reflections, low camera following it',
  'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
  'Sunflowers sway in golden backlight, butterflies drift over the field, slow dolly in',
  'A snowy village at night, warm windows between the pines, snow falling slowly',
];
