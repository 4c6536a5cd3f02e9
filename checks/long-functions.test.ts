import { testCheck } from './check-fixtures.ts';
import { longFunctionProblems } from './long-functions.ts';

const body = (lines: number, indent = '  ') => `${indent}work();\n`.repeat(lines);
const path = 'server/queue/queue.ts';
const fixture = (rule: string, text: string, problems: readonly string[]) => ({
  rule,
  files: { [path]: text },
  problems,
});

testCheck('long functions', longFunctionProblems, [
  fixture(
    '70 lines are read, 71 are not',
    `function a() {\n${body(68)}}\nfunction b() {\n${body(69)}}\n`,
    [`${path}:71: a function of 71 lines`],
  ),
  fixture(
    'the head counts',
    `export async function a(\n  x: X,\n): Promise<void> {\n${body(67)}}\n`,
    [`${path}:1: a function of 71 lines`],
  ),
  fixture('methods count', `class A {\n  #run(x: X): Y {\n${body(69, '    ')}  }\n${body(90)}}\n`, [
    `${path}:2: a function of 71 lines`,
  ]),
  fixture('arrows count', `const a = async (x) => {\n${body(69)}};\n`, [`${path}:1: a function`]),
  fixture('an answer described at length', `function a(): {\n  b: C;\n} {\n${body(67)}}\n`, [
    `${path}:1: a function of 71 lines`,
  ]),
  fixture(
    'tables, classes, types and blocks are no functions',
    `const a = {\n${body(90)}};\ntype B = {\n${body(90)}};\n` +
      `if (\n  c\n) {\n${body(90)}} else {\n${body(90)}}\n`,
    [],
  ),
  {
    rule: 'a component may be 120 lines of elements',
    files: {
      'dashboard/src/a.tsx': `function A() {\n${body(118)}}\nfunction B() {\n${body(119)}}\n`,
    },
    problems: ['dashboard/src/a.tsx:121: a function of 121 lines: split it, 120 at most'],
  },
  {
    rule: 'a test tells its story',
    files: { 'a.test.ts': `test(() => {\n${body(90)}});` },
    problems: [],
  },
  fixture(
    'text is no code',
    `function a() {\n  return \`\n${'function b() {\n'.repeat(50)}\`;\n}\n`,
    [],
  ),
]);
