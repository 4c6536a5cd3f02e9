/**
 * `npm run bench`: measures the published numbers, each as a ratio within one run, since machines
 * are noisy. Writes `docs/bench.md`; with names it only prints these sections: `npm run bench --
 * previews`.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { acceptBench } from './accept.ts';
import { claimBench } from './claim.ts';
import { httpBench } from './http.ts';
import { previewBench } from './preview.ts';
import { simultaneousCompletionBench } from './simultaneous-completion.ts';

const file = join(import.meta.dirname, '../../docs/bench.md');
const sections = {
  accepting: acceptBench,
  http: httpBench,
  claiming: claimBench,
  finish: simultaneousCompletionBench,
  previews: previewBench,
};
const names = process.argv.slice(2);
const parts: string[] = [];
for (const [name, section] of Object.entries(sections)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const text = await section((line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${text}\n`);
  parts.push(text);
}
const [core] = cpus();
const machine = `${cpus().length} × ${core?.model.trim() ?? 'unknown'}, Node ${process.version}`;
const head = `# Figures\n\nMade by \`npm run bench\` on ${machine}. Trust the ratios: both sides of
each were measured in turns within one run.\n`;
if (names.length === 0) await writeFile(file, [head, ...parts].join('\n'));
process.exit(0);
