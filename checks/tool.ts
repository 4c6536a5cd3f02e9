/** Runs a tool over the whole project; its output is the failure message. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './tree.ts';

export async function runTool(program: string, args: readonly string[]): Promise<void> {
  const tool = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, warned, [code]] = await Promise.all([
    text(tool.stdout),
    text(tool.stderr),
    once(tool, 'exit'),
  ]);
  if (code !== 0) assert.fail(`${output}${warned}`);
}
