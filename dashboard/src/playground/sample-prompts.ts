/** Example prompts, shown before the first task. */
export const samplePrompts: readonly string[] = [
  'A paper boat sails down a rainy street at dusk, neon reflections, low camera following it',
  'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea',
  'Macro shot of a bee landing on a sunflower, golden backlight, shallow depth of field',
  'A red tram crosses a snowy old town at night, seen from above, snow falling slowly',
];
