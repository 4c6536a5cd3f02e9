/** Small bar charts as SVG, for light and dark backgrounds. */

export type Bar = {
  readonly label: string;
  /** Stacked in this order. */
  readonly parts: readonly number[];
  /** At the end of the bar. */
  readonly text: string;
};

export type ChartOptions = {
  readonly title: string;
  /** Names of the parts; without them there is no legend. */
  readonly parts?: readonly string[];
  /** A vertical line, such as the target. */
  readonly mark?: { readonly value: number; readonly text: string };
};

const width = 720;
const labelWidth = 190;
const textWidth = 90;
const barHeight = 22;
const gap = 8;
const head = 56;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .part0 { fill: #2f6fb3 } .part1 { fill: #c9812b }
  .mark { stroke: #59636e; stroke-dasharray: 4 3 }
  .small { font-size: 11px; fill: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .mark { stroke: #9198a1 }
    .part0 { fill: #5b9bd9 } .part1 { fill: #d99c4f }
  }`;

export function barChart(bars: readonly Bar[], { title, parts, mark }: ChartOptions): string {
  const sums = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part, 0));
  const longest = Math.max(...sums, mark?.value ?? 0) || 1;
  const x = (value: number) => labelWidth + (value / longest) * (width - labelWidth - textWidth);
  const height = head + bars.length * (barHeight + gap) + gap;
  const rows = bars.flatMap((bar, at) => {
    const y = head + at * (barHeight + gap);
    return [text({ x: labelWidth - 8, y: y + 15, anchor: 'end' }, bar.label), ...drawBar(bar, y)];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${style}\n</style>`,
    text({ x: 8, y: 20, kind: 'title' }, title),
    ...drawLegend(parts ?? []),
    ...rows,
    ...(mark ? drawMark(mark) : []),
    '</svg>\n',
  ].join('\n');

  function drawBar(bar: Bar, y: number): string[] {
    let from = 0;
    const drawn = bar.parts.map((part, index) => {
      const [left, right] = [x(from), x(from + part)].map((value) => Math.round(value));
      from += part;
      const size = `x="${left}" y="${y}" width="${Math.max(1, right! - left!)}"`;
      return `<rect class="part${index}" ${size} height="${barHeight}"/>`;
    });
    return [...drawn, text({ x: Math.round(x(from)) + 6, y: y + 15 }, bar.text)];
  }

  function drawMark({ value, text: label }: { value: number; text: string }): string[] {
    const at = Math.round(x(value));
    return [
      `<line class="mark" x1="${at}" x2="${at}" y1="${head - 6}" y2="${height - gap}"/>`,
      text({ x: at, y: head - 10, anchor: 'middle', kind: 'small' }, label),
    ];
  }
}

function drawLegend(parts: readonly string[]): string[] {
  return parts.flatMap((part, at) => [
    `<rect class="part${at}" x="${8 + at * 100}" y="30" width="10" height="10"/>`,
    text({ x: 22 + at * 100, y: 39, kind: 'small' }, part),
  ]);
}

type TextOptions = {
  readonly x: number;
  readonly y: number;
  readonly anchor?: string;
  readonly kind?: string;
};

function text({ x, y, anchor, kind }: TextOptions, content: string): string {
  const attributes = [
    `x="${x}" y="${y}"`,
    ...(anchor ? [`text-anchor="${anchor}"`] : []),
    ...(kind ? [`class="${kind}"`] : []),
  ];
  return `<text ${attributes.join(' ')}>${escapeText(content)}</text>`;
}

const escapeText = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
