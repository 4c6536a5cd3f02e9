/**
 * Draws measurements as SVG: panels on a common time axis, with marks where a process or the
 * database was killed. Colors follow the light or dark scheme of the reader; all text is escaped.
 */
type LinePoint = { readonly x: number; readonly y: number };
type ChartLine = { readonly name: string; readonly points: readonly LinePoint[] };

export type ChartPanel = {
  readonly title: string;
  /** The unit of the axis: `MB`, `ms`, `per second`. */
  readonly unit: string;
  readonly lines: readonly ChartLine[];
  readonly scale?: 'linear' | 'logarithmic';
};

export type Chart = {
  readonly title: string;
  readonly subtitle: string;
  /** The end of the time axis, in `xUnit`. */
  readonly xMax: number;
  readonly xUnit: string;
  readonly panels: readonly ChartPanel[];
  readonly marks: readonly { readonly x: number; readonly kind: 'line' | 'tick' }[];
  /** The meaning of the two kinds of marks. */
  readonly markNames: Readonly<Record<'line' | 'tick', string>>;
};

const width = 880;
/** The left edge of headings; plots start at `left`, after the labels of their axis. */
const edge = 24;
const left = 68;
const right = width - 20;
const headHeight = 64;
const panelHeight = 214;
const plotTop = 50;
const plotHeight = 132;
const footHeight = 40;
const linesMax = 6;
/** A line breaks where two points are further apart than this many median gaps. */
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
  const { title, subtitle, xUnit, marks, markNames, panels } = chart;
  const height = headHeight + panels.length * panelHeight + footHeight;
  const footY = height - footHeight + 18;
  const legend = (kind: 'line' | 'tick', x: number) =>
    marks.some((mark) => mark.kind === kind)
      ? `${drawMark(kind, x, footY + 2)}${text('faint', x + 10, footY, markNames[kind])}`
      : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
    ` viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text('ink head', edge, 30, title),
    text('faint', edge, 50, subtitle),
    ...panels.map((panel, at) => drawPanel(chart, panel, headHeight + at * panelHeight)),
    text('faint', right, footY, xUnit, 'end'),
    legend('tick', edge + 2),
    legend('line', edge + 330),
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ xMax, marks }: Chart, panel: ChartPanel, top: number): string {
  const axis = axisOf(panel);
  const bottom = top + plotTop + plotHeight;
  const xOf = (value: number) => left + (value / xMax) * (right - left);
  const yOf = (value: number) => bottom - axis.shareOf(value) * plotHeight;
  const lines = panel.lines.slice(0, linesMax);
  const unit = `<tspan class="unit" dx="8">${escaped(panel.unit)}</tspan>`;
  return [
    text('ink title', edge, top + 16, panel.title).replace('</text>', `${unit}</text>`),
    lines.length < 2 ? '' : drawLegend(lines, top + 35),
    ...axis.ticks.flatMap((tick, at) => [
      rule(at === 0 ? 'axis' : 'grid', [left, yOf(tick)], [right, yOf(tick)]),
      text('faint', left - 8, yOf(tick) + 4, shown(tick), 'end'),
    ]),
    ...ticksTo(xMax, 10)
      .filter((tick) => tick <= xMax)
      .flatMap((tick) => [
        rule('axis', [xOf(tick), bottom], [xOf(tick), bottom + 4]),
        text('faint', xOf(tick), bottom + 17, shown(tick), 'middle'),
      ]),
    ...marks.map(({ x, kind }) => drawMark(kind, xOf(x), bottom, plotHeight)),
    ...lines.map(({ points }, at) => {
      const drawn = points.map(({ x, y }) => ({ x: xOf(x), y: axis.isShown(y) ? yOf(y) : null }));
      return `<path class="line c${at}" d="${pathOf(drawn)}"/>`;
    }),
  ].join('\n');
}

/** A dashed line of the given height, or a short tick. */
const drawMark = (kind: 'line' | 'tick', x: number, bottom: number, height = 13): string =>
  rule(
    kind === 'line' ? 'mark' : 'tick',
    [x, bottom - (kind === 'line' ? height : 6)],
    [x, bottom],
  );

function drawLegend(lines: readonly ChartLine[], y: number): string {
  let x = edge;
  return lines
    .map(({ name }, at) => {
      const from = x;
      // The approximate width of the letters, and a gap.
      x += 24 + name.length * 6.4 + 18;
      const sample = rule(`line c${at}`, [from, y - 4], [from + 18, y - 4]);
      return `${sample}\n${text('faint', from + 24, y, name)}`;
    })
    .join('\n');
}

/** The line breaks at a gap (null) and where no sample was taken for a long time. */
function pathOf(points: readonly { readonly x: number; readonly y: number | null }[]): string {
  const gaps = points.slice(1).map(({ x }, before) => x - points[before]!.x);
  const gapMax = gapsMax * (gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0);
  let isOpen = false;
  return points
    .map(({ x, y }, at) => {
      const letter = isOpen && gaps[at - 1]! <= gapMax ? 'L' : 'M';
      isOpen = y !== null;
      return y === null ? '' : `${letter}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

/** Linear from 0, or logarithmic over the powers of ten of the values. */
function axisOf({ lines, scale = 'linear' }: ChartPanel) {
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

/** Round values from 0 to the first that is not below `most`. */
function ticksTo(most: number, wanted: number): number[] {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}

const shown = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 6 });

function text(className: string, x: number, y: number, content: string, anchor?: string): string {
  const anchorAttribute = anchor ? ` text-anchor="${anchor}"` : '';
  const position = `x="${round(x)}" y="${round(y)}"${anchorAttribute}`;
  return `<text class="${className}" ${position}>${escaped(content)}</text>`;
}

type Position = readonly [x: number, y: number];
function rule(className: string, [x1, y1]: Position, [x2, y2]: Position): string {
  const from = `x1="${round(x1)}" y1="${round(y1)}"`;
  return `<line class="${className}" ${from} x2="${round(x2)}" y2="${round(y2)}"/>`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);

function escaped(value: string): string {
  const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  // XML allows no control characters, not even escaped.
  const printable = [...value].filter((letter) => letter >= ' ' && letter !== '\x7f').join('');
  return printable.replace(/[&<>"]/g, (letter) => `&${entities[letter]};`);
}
