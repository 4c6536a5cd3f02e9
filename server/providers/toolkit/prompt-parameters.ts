/** Keeps a prompt from changing what was priced, for every upstream that runs Seedance. */

/**
 * The model still reads parameters at the end of a prompt (`--dur 30`, `--rs 1080p`, `--wm false`),
 * and its vendor does not say whether they win over the fields: a customer could pay for 4 seconds
 * and get 30. Which names it knows is not certain, so no name is looked for: every run of two or
 * more hyphens becomes the dash that a typesetter makes of it. The sentence means the same, and no
 * longer holds a parameter. Wide and small hyphens and invisible characters between them count,
 * because an upstream that normalises text would turn them into plain hyphens. All else stays byte
 * for byte.
 */
export function withoutParameters(prompt: string): string {
  return prompt.replace(/[-\uFE63\uFF0D](?:\p{Cf}*[-\uFE63\uFF0D])+/gu, '\u2014');
}
