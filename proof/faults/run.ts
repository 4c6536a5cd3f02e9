/**
 * `npm run faults -- kills`: runs the fault tests with one of these words in their path, one file
 * after the other. `RUNS=1000 SEED=2 npm run faults -- kills` runs more than the sample.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const words = process.argv.slice(2);
const files = globSync('**/*.test.ts', { cwd: import.meta.dirname })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .map((file) => join(import.meta.dirname, file))
  .sort();
const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
  // Hundreds of processes load the same modules; compiling them is half of the cost of a start.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'vidgen-compiled'), ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect'] as const) {
  process.once(signal, () => void child.kill('SIGTERM'));
}
child.once('exit', (code) => process.exit(code ?? 1));
