import { longFunctionProblems } from './long-functions.ts';
import { testCheck } from './planted.ts';

const body = (lines: number, indent = '  ') => `${indent}work();\n`.repeat(lines);
const path = 'server/queue/queue.ts';
const planted = (rule: string, text: string, complaints: readonly string[]) => ({
  rule,
  files: { [path]: text },
  complaints,
});

testCheck('long functions', longFunctionProblems, [
  planted(
    '70 lines are read, 71 are not',
    `function a() {\n${body(68)}}\nfunction b() {\n${body(69)}}\n`,
    [`${path}:71: a function of 71 lines`],
  ),
  planted(
    'the head counts',
    `export async function a(\n  x: X,\n): Promise<void> {\n${body(67)}}\n`,
    [`${path}:1: a function of 71 lines`],
  ),
  planted('methods count', `class A {\n  #run(x: X): Y {\n${body(69, '    ')}  }\n${body(90)}}\n`, [
    `${path}:2: a function of 71 lines`,
  ]),
  planted('arrows count', `const a = async (x) => {\n${body(69)}};\n`, [`${path}:1: a function`]),
  planted('an answer described at length', `function a(): {\n  b: C;\n} {\n${body(67)}}\n`, [
    `${path}:1: a function of 71 lines`,
  ]),
  planted(
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
    complaints: ['dashboard/src/a.tsx:121: a function of 121 lines: split it, 120 at most'],
  },
  {
    rule: 'a test tells its story',
    files: { 'a.test.ts': `test(() => {\n${body(90)}});` },
    complaints: [],
  },
  planted(
    'text is no code',
    `function a() {\n  return \`\n${'function b() {\n'.repeat(50)}\`;\n}\n`,
    [],
  ),
]);
