/** Lines are valid by RFC 4180, and no spreadsheet runs one as a formula. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv.ts';

const rows: readonly (readonly [values: Parameters<typeof csvLine>[0], line: string])[] = [
  [['a', 'b', null], 'a,b,'],
  [[1, 0, -1], '1,0,-1'],
  [['one, two', 'say "so"'], '"one, two","say ""so"""'],
  [['two\nlines', 'three\r\nfour'], '"two\nlines","three\r\nfour"'],
  [['=1+1', '+1', '-1', '@sum'], "'=1+1,'+1,'-1,'@sum"],
  [['\tx', '\rx', '=HYPERLINK("http://x")'], '\'\tx,"\'\rx","\'=HYPERLINK(""http://x"")"'],
  [['＝1+1', '＋1', '－1', '＠sum'], "'＝1+1,'＋1,'－1,'＠sum"],
  [['x;=1+1', 'x; "-1', 'x;＠sum', 'x\t+1'], `x;'=1+1,"x; ""'-1",x;'＠sum,x\t'+1`],
  [['a; b', 'x\n=1'], `a; b,"x\n'=1"`],
  [['a boat = a boat', 'ünïcode ✓'], 'a boat = a boat,ünïcode ✓'],
];

for (const [values, line] of rows) {
  test(JSON.stringify(values), () => assert.equal(csvLine(values), `${line}\r\n`));
}
