/** Small line charts as SVG, for light and dark backgrounds. */

export type Line = { readonly label: string; readonly values: readonly number[] };

const width = 720;
const height = 320;
const left = 60;
const right = 140;
const top = 40;
const bottom = 30;
const labelHeight = 15;

const light = ['#2f6fb3', '#c9812b', '#3a8f5c', '#b04a6f', '#6f5bb5', '#7a7f35', '#59636e'];
const dark = ['#5b9bd9', '#d99c4f', '#62b986', '#d97a9b', '#9c8be0', '#b3b85f', '#9198a1'];

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .small { font-size: 11px }
  polyline { fill: none; stroke-width: 2 }
  .axis { stroke: #59636e; stroke-width: 1 }
${light.map((color, at) => `  .line${at} { stroke: ${color} }`).join('\n')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
${dark.map((color, at) => `    .line${at} { stroke: ${color} }`).join('\n')}
  }`;

/** One value per hour. Labels stand at the end of their lines. */
export function lineChart(lines: readonly Line[], { title }: { readonly title: string }): string {
  const highest = Math.max(1, ...lines.flatMap(({ values }) => values));
  const hours = Math.max(...lines.map(({ values }) => values.length));
  const x = (at: number) =>
    Math.round(left + (at / Math.max(1, hours - 1)) * (width - left - right));
  const y = (value: number) => Math.round(height - bottom - (value / highest) * plotHeight);
  const plotHeight = height - top - bottom;
  const labels = labelPositions(lines.map(({ values }) => y(values.at(-1)!)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${style}\n</style>`,
    `<text x="8" y="20" class="title">${title}</text>`,
    `<polyline class="axis" points="${left},${top} ${left},${y(0)} ${x(hours - 1)},${y(0)}"/>`,
    `<text x="${left - 6}" y="${top + 4}" text-anchor="end">${highest.toFixed(0)}</text>`,
    `<text x="${left - 6}" y="${y(0)}" text-anchor="end">0</text>`,
    `<text x="${left}" y="${height - 8}" class="small">hour 1</text>`,
    `<text x="${x(hours - 1)}" y="${height - 8}" class="small" text-anchor="end">${hours}</text>`,
    ...lines.flatMap(({ label, values }, at) => [
      `<polyline class="line${at % light.length}" points="${values
        .map((value, hour) => `${x(hour)},${y(value)}`)
        .join(' ')}"/>`,
      `<text x="${x(hours - 1) + 8}" y="${labels[at]! + 4}" class="small">${label}</text>`,
    ]),
    '</svg>\n',
  ].join('\n');
}

/** Moves labels up where they would cover each other. */
function labelPositions(wanted: readonly number[]): number[] {
  const placed = [...wanted];
  let lowest = Number.POSITIVE_INFINITY;
  for (const at of wanted.map((_, index) => index).sort((a, b) => wanted[b]! - wanted[a]!)) {
    placed[at] = Math.min(wanted[at]!, lowest - labelHeight);
    lowest = placed[at]!;
  }
  return placed;
}
