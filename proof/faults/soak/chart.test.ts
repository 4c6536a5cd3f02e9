import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chart, drawChart } from './chart.ts';

const hostile = `<script>"Boats" & 'harbors'</script>\u0000`;
const escaped = "&lt;script&gt;&quot;Boats&quot; &amp; 'harbors'&lt;/script&gt;";
const chart: Chart = {
  title: hostile,
  subtitle: hostile,
  xMax: 10,
  xUnit: 'minutes',
  panels: [
    {
      title: hostile,
      unit: 'MB',
      lines: [
        { name: hostile, points: [0, 5, Number.NaN, 7, 9].map((y, x) => ({ x, y })) },
        { name: 'another', points: [{ x: 0, y: 1 }] },
      ],
    },
    {
      title: 'Times',
      unit: 'ms',
      scale: 'logarithmic',
      lines: [{ name: 'p50', points: [0, 3, 40, 500].map((y, x) => ({ x, y })) }],
    },
  ],
  marks: [
    { x: 3, kind: 'line' },
    { x: 4, kind: 'tick' },
  ],
  markNames: { line: 'the database was killed', tick: 'a process was killed' },
};

test('escapes every text', () => {
  const drawn = drawChart(chart);
  assert.equal(drawn.includes('<script'), false);
  assert.equal(drawn.includes('\u0000'), false);
  assert.equal(drawn.split(escaped).length - 1, 5, 'label, title, subtitle, panel, line');
});

test('closes every element, and has no invalid number', () => {
  const drawn = drawChart(chart);
  const open = [...drawn.matchAll(/<([a-z]+)[^>]*?(\/?)>/g)].filter(([, , slash]) => slash === '');
  const closed = [...drawn.matchAll(/<\/([a-z]+)>/g)];
  assert.equal(open.length, closed.length);
  assert.doesNotMatch(drawn, /NaN|Infinity|undefined/);
});

test('a gap breaks its line', () => {
  const paths = [...drawChart(chart).matchAll(/ d="([^"]*)"/g)].map(([, path]) => path!);
  assert.deepEqual(
    paths.map((path) => path.replace(/[\d. ]/g, '')),
    ['MLML', 'M', 'MLL'],
    'a logarithmic axis has no zero',
  );
});

test('a line breaks between two points that are far apart', () => {
  const points = [1, 2, 3, 9, 10].map((x) => ({ x, y: x }));
  const panels = [{ title: 'Boats', unit: 'count', lines: [{ name: 'boats', points }] }];
  const [, path] = / d="([^"]*)"/.exec(drawChart({ ...chart, panels }))!;
  assert.equal(path!.replace(/[\d. ]/g, ''), 'MLLML');
});

test('the axis starts at zero and ends above the maximum', () => {
  const labels = [...drawChart(chart).matchAll(/text-anchor="end">([^<]*)</g)].map(
    ([, one]) => one,
  );
  assert.deepEqual(labels, ['0', '5', '10', '1', '10', '100', '1,000', 'minutes']);
});

test('draws an empty chart', () => {
  const lines = [{ name: 'nothing', points: [] }];
  const empty = { ...chart, marks: [], panels: [{ title: 'Nothing', unit: 'MB', lines }] };
  assert.doesNotMatch(drawChart(empty), /NaN|Infinity|undefined/);
});
