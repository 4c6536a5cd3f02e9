/**
 * Draws measurements as SVG: panels under each other on one axis of time, with marks where
 * something was killed. Colors follow the reader's light or dark, and all text is escaped.
 */
export type LinePoint = { readonly x: number; readonly y: number };
export type Line = { readonly name: string; readonly points: readonly LinePoint[] };

export type Panel = {
  readonly title: string;
  /** What the figures of the axis are: `MB`, `ms`, `a second`. */
  readonly unit: string;
  readonly lines: readonly Line[];
  readonly scale?: 'linear' | 'logarithmic';
};

export type ChartMark = { readonly x: number; readonly kind: 'line' | 'tick' };

export type Chart = {
  readonly title: string;
  readonly subtitle: string;
  /** The end of the axis of time, in its unit. */
  readonly xMax: number;
  readonly xUnit: string;
  readonly panels: readonly Panel[];
  readonly marks: readonly ChartMark[];
  /** What the two kinds of marks mean. */
  readonly markNames: Readonly<Record<ChartMark['kind'], string>>;
};

const width = 880;
/** Where headings begin; lines begin further in, after the figures of their axis. */
const edge = 24;
const left = 68;
const right = 20;
const plotWidth = width - left - right;
const headHeight = 64;
const panelHeight = 214;
const plotTop = 50;
const plotHeight = 132;
const footHeight = 40;
const linesMax = 6;
/** Between two points of one line, in gaps as they usually are. */
const gapsMax = 4;

const style = `
  text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  .ground { fill: #ffffff; } .ink { fill: #1f2328; } .faint { fill: #646c76; }
  .head { font-size: 16px; font-weight: 600; } .title { font-size: 13px; font-weight: 600; }
  .unit { fill: #646c76; font-size: 12px; font-weight: 400; }
  .grid { stroke: #d8dde3; stroke-width: 1; } .axis { stroke: #9aa3ad; stroke-width: 1; }
  .line { fill: none; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
  .mark { stroke: #b4232c; stroke-width: 1; opacity: .55; stroke-dasharray: 2 3; }
  .tick { stroke: #b4232c; stroke-width: 1.5; opacity: .8; }
  .c0 { stroke: #1a63c6; } .c1 { stroke: #b8560a; } .c2 { stroke: #1c7f4f; }
  .c3 { stroke: #7a49bd; } .c4 { stroke: #0b7a85; } .c5 { stroke: #7d6a12; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0f141a; } .ink { fill: #e6eaef; } .faint, .unit { fill: #98a2ad; }
    .grid { stroke: #27303a; } .axis { stroke: #56616d; }
    .mark { stroke: #ff7b72; } .tick { stroke: #ff7b72; }
    .c0 { stroke: #6ea8ff; } .c1 { stroke: #f0a05a; } .c2 { stroke: #5cc790; }
    .c3 { stroke: #b99af2; } .c4 { stroke: #56c4cf; } .c5 { stroke: #d3ba55; }
  }
`;

export function drawChart(chart: Chart): string {
  const height = headHeight + chart.panels.length * panelHeight + footHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
    ` viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(chart.title)}">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text({ x: edge, y: 30, content: chart.title, className: 'ink head' }),
    text({ x: edge, y: 50, content: chart.subtitle, className: 'faint' }),
    ...chart.panels.map((panel, at) => drawPanel(chart, panel, headHeight + at * panelHeight)),
    drawFoot(chart, height - footHeight),
    '</svg>\n',
  ].join('\n');
}

function drawPanel(chart: Chart, panel: Panel, top: number): string {
  const axis = axisOf(panel);
  const bottom = top + plotTop + plotHeight;
  const xOf = (value: number) => left + (value / chart.xMax) * plotWidth;
  const yOf = (value: number) => bottom - axis.shareOf(value) * plotHeight;
  const xTicks = ticksTo(chart.xMax, 10).filter((tick) => tick <= chart.xMax);
  return [
    text({ x: edge, y: top + 16, content: panel.title, after: panel.unit, className: 'ink title' }),
    drawLegend(panel.lines, top + 35),
    ...axis.ticks.flatMap((tick) => {
      const y = yOf(tick);
      const isGround = y > bottom - 0.5;
      return [
        rule({ x1: left, x2: width - right, y1: y, y2: y, className: isGround ? 'axis' : 'grid' }),
        text({ x: left - 8, y: y + 4, content: shown(tick), className: 'faint', anchor: 'end' }),
      ];
    }),
    ...xTicks.flatMap((tick) => [
      rule({ x1: xOf(tick), x2: xOf(tick), y1: bottom, y2: bottom + 4, className: 'axis' }),
      text({
        x: xOf(tick),
        y: bottom + 17,
        content: shown(tick),
        className: 'faint',
        anchor: 'middle',
      }),
    ]),
    ...chart.marks.map(({ x, kind }) =>
      kind === 'line'
        ? rule({ x1: xOf(x), x2: xOf(x), y1: top + plotTop, y2: bottom, className: 'mark' })
        : rule({ x1: xOf(x), x2: xOf(x), y1: bottom - 6, y2: bottom, className: 'tick' }),
    ),
    ...panel.lines
      .slice(0, linesMax)
      .map(({ points }, at) => drawLine(points, { at, xOf, yOf, isShown: axis.isShown })),
  ].join('\n');
}

function drawLegend(lines: readonly Line[], y: number): string {
  if (lines.length < 2) return '';
  let x = edge;
  return lines
    .slice(0, linesMax)
    .map(({ name }, at) => {
      const from = x;
      // About the width of the letters, and a gap.
      x += 24 + name.length * 6.4 + 18;
      return [
        rule({ x1: from, x2: from + 18, y1: y - 4, y2: y - 4, className: `line c${at}` }),
        text({ x: from + 24, y, content: name, className: 'faint' }),
      ].join('\n');
    })
    .join('\n');
}

type Drawing = {
  readonly at: number;
  readonly xOf: (value: number) => number;
  readonly yOf: (value: number) => number;
  readonly isShown: (value: number) => boolean;
};

/** What is no number interrupts the line, and so does a time in which nobody looked. */
function drawLine(points: readonly LinePoint[], { at, xOf, yOf, isShown }: Drawing): string {
  const gaps = points.slice(1).map(({ x }, before) => x - points[before]!.x);
  const gapMax = gapsMax * (gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0);
  let isOpen = false;
  const path = points.map(({ x, y }, index) => {
    const letter = isOpen && gaps[index - 1]! <= gapMax ? 'L' : 'M';
    isOpen = isShown(y);
    return isOpen ? `${letter}${xOf(x).toFixed(1)} ${yOf(y).toFixed(1)}` : '';
  });
  return `<path class="line c${at}" d="${path.filter(Boolean).join('')}"/>`;
}

function drawFoot({ xUnit, marks, markNames }: Chart, top: number): string {
  const y = top + 18;
  const has = (kind: ChartMark['kind']) => marks.some((mark) => mark.kind === kind);
  return [
    text({ x: width - right, y, content: xUnit, className: 'faint', anchor: 'end' }),
    ...(has('tick')
      ? [
          rule({ x1: edge + 2, x2: edge + 2, y1: y - 8, y2: y - 1, className: 'tick' }),
          text({ x: edge + 12, y, content: markNames.tick, className: 'faint' }),
        ]
      : []),
    ...(has('line')
      ? [
          rule({ x1: edge + 330, x2: edge + 330, y1: y - 11, y2: y + 2, className: 'mark' }),
          text({ x: edge + 340, y, content: markNames.line, className: 'faint' }),
        ]
      : []),
  ].join('\n');
}

/** From 0, or over the powers of ten that the values reach. */
function axisOf({ lines, scale = 'linear' }: Panel) {
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y)).filter(Number.isFinite);
  if (scale === 'linear') {
    const ticks = ticksTo(Math.max(1, ...values), 4);
    const most = ticks.at(-1)!;
    return { ticks, shareOf: (value: number) => value / most, isShown: Number.isFinite };
  }
  const positive = values.filter((value) => value > 0);
  const lowest = Math.floor(Math.log10(Math.min(1, ...positive)));
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(1, ...positive))));
  const ticks = Array.from({ length: highest - lowest + 1 }, (_, at) => 10 ** (lowest + at));
  const shareOf = (value: number) => (Math.log10(value) - lowest) / (highest - lowest);
  return { ticks, shareOf, isShown: (value: number) => Number.isFinite(value) && value > 0 };
}

/** Round figures from 0 up to the first that is not below the most. */
function ticksTo(most: number, wanted: number): number[] {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

/** As people write figures: 12,000 and 0.05. */
const shown = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 6 });

function text(label: {
  readonly x: number;
  readonly y: number;
  readonly content: string;
  readonly className: string;
  readonly anchor?: 'middle' | 'end';
  /** Said in a lower voice after the words. */
  readonly after?: string;
}): string {
  const { x, y, content, className, anchor, after } = label;
  const anchorAttribute = anchor ? ` text-anchor="${anchor}"` : '';
  const rest = after ? `<tspan class="unit" dx="8">${escaped(after)}</tspan>` : '';
  const start = `<text class="${className}" x="${round(x)}" y="${round(y)}"${anchorAttribute}>`;
  return `${start}${escaped(content)}${rest}</text>`;
}

function rule(ends: {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  readonly className: string;
}): string {
  const { className, ...coordinates } = ends;
  const attributes = Object.entries(coordinates).map(
    ([name, value]) => `${name}="${round(value)}"`,
  );
  return `<line class="${className}" ${attributes.join(' ')}/>`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);

function escaped(value: string): string {
  const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  // Control characters have no place in XML, escaped or not.
  const printable = [...value].filter((letter) => letter >= ' ' && letter !== '\x7f').join('');
  return printable.replace(/[&<>"]/g, (letter) => `&${entities[letter]};`);
}
