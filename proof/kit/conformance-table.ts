/**
 * `npm run conformance`: runs the suite over every adapter and writes it down as a table, adapter
 * by case, in `docs/conformance.md`. Ends with 1 when anything fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from 'node:test';
import { conformanceCases } from './conformance.ts';

type Verdict = 'passed' | 'failed' | { readonly cannot: string };

const server = join(import.meta.dirname, '..');
const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join(server, path))
  .filter((path) => /^\s*describeConformance\(/m.test(readFileSync(path, 'utf8')));
const verdicts = new Map<string, Map<string, Verdict>>();

function note(name: string, verdict: Verdict): void {
  const [, adapter, id] = /^(.+) \/ ([a-z-]+): /.exec(name) ?? [];
  if (adapter === undefined || id === undefined) return;
  const cases = verdicts.get(adapter) ?? new Map<string, Verdict>();
  verdicts.set(adapter, cases.set(id, verdict));
}

await new Promise<void>((resolve) => {
  run({ files, concurrency: true })
    .on('test:pass', ({ name, skip }) =>
      note(name, typeof skip === 'string' ? { cannot: skip } : 'passed'),
    )
    .on('test:fail', ({ name }) => note(name, 'failed'))
    .on('end', resolve)
    .resume();
});

const adapters = [...verdicts.keys()].sort();
const cell = (verdict: Verdict | undefined): string => {
  if (verdict === undefined) return 'missing';
  return typeof verdict === 'string' ? { passed: '✓', failed: '✗' }[verdict] : '–';
};
const head = `| Case | ${adapters.join(' | ')} |\n|---|${adapters.map(() => '---|').join('')}`;
const rows = conformanceCases.map(({ id, promise }) => {
  const cells = adapters.map((adapter) => cell(verdicts.get(adapter)!.get(id)));
  return `| **${id}**: ${promise} | ${cells.join(' | ')} |`;
});
const reasons = adapters.flatMap((adapter) =>
  [...verdicts.get(adapter)!].flatMap(([id, verdict]) =>
    typeof verdict === 'string' ? [] : [`- ${adapter}, ${id}: ${verdict.cannot}.`],
  ),
);
const text = `# Conformance of the provider adapters

Written by \`npm run conformance\`: each adapter against a double of its upstream. ✓ holds, ✗ does
not, – cannot arise there (the reasons are below the table).

${head}
${rows.join('\n')}

${reasons.join('\n')}
`;
await writeFile(join(server, '../../server/docs/conformance.md'), text);
process.stdout.write(text);
const isSound = [...verdicts.values()].every((cases) =>
  conformanceCases.every(({ id }) => ![undefined, 'failed'].includes(cases.get(id) as string)),
);
process.exit(isSound && adapters.length > 0 ? 0 : 1);
