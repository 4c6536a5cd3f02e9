/**
 * `npm run conformance`: runs the suite over every adapter and writes the results as a table to
 * `docs/conformance.md`. Exits with 1 when a case fails.
 */
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from 'node:test';
import { conformanceCases } from './conformance.ts';

type CaseResult = 'passed' | 'failed' | { readonly unsupported: string };

const root = join(import.meta.dirname, '../..');
const files = ['server/providers', 'proof/kit']
  .flatMap((folder) => globSync(join(root, folder, '**/*.test.ts')))
  .filter((path) => /^\s*describeConformance\(/m.test(readFileSync(path, 'utf8')));
const results = new Map<string, Map<string, CaseResult>>();

function record(name: string, result: CaseResult): void {
  const [, adapter, id] = /^(.+) \/ ([a-z-]+): /.exec(name) ?? [];
  if (adapter === undefined || id === undefined) return;
  const cases = results.get(adapter) ?? new Map<string, CaseResult>();
  results.set(adapter, cases.set(id, result));
}

process.env.VIDGEN_TEST_THOROUGH = '1';
await new Promise<void>((resolve) => {
  run({ files, concurrency: true })
    .on('test:pass', ({ name, skip }) =>
      record(name, typeof skip === 'string' ? { unsupported: skip } : 'passed'),
    )
    .on('test:fail', ({ name }) => record(name, 'failed'))
    .on('end', resolve)
    .resume();
});

const adapters = [...results.keys()].sort();
const cell = (result: CaseResult | undefined): string => {
  if (result === undefined) return 'missing';
  return typeof result === 'string' ? { passed: '✓', failed: '✗' }[result] : '–';
};
const head = `| Case | ${adapters.join(' | ')} |\n|---|${adapters.map(() => '---|').join('')}`;
const rows = conformanceCases.map(({ id, promise }) => {
  const cells = adapters.map((adapter) => cell(results.get(adapter)!.get(id)));
  return `| **${id}**: ${promise} | ${cells.join(' | ')} |`;
});
const reasons = adapters.flatMap((adapter) =>
  [...results.get(adapter)!].flatMap(([id, result]) =>
    typeof result === 'string' ? [] : [`- ${adapter}, ${id}: ${result.unsupported}.`],
  ),
);
const text = `# Conformance of the provider adapters

Written by \`npm run conformance\`: each adapter against a fake of its upstream. ✓ passed, ✗ failed,
– cannot arise there (the reasons are below the table).

${head}
${rows.join('\n')}

${reasons.join('\n')}
`;
await writeFile(join(root, 'docs/conformance.md'), text);
process.stdout.write(text);
const allPassed = [...results.values()].every((cases) =>
  conformanceCases.every(({ id }) => ![undefined, 'failed'].includes(cases.get(id) as string)),
);
process.exit(allPassed && adapters.length > 0 ? 0 : 1);
