/** The command line as a process, with a folder of its own for what `login` stores. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../cli/vidgen.mjs', import.meta.url));

export type CommandLineOptions = {
  readonly url?: string;
  readonly key?: string;
  /** Where settings are kept, as `XDG_CONFIG_HOME`; relative paths are in it, too. */
  readonly settings: string;
  readonly file?: string;
};

export function startCommandLine(
  args: readonly string[],
  { url, key, settings, file = program }: CommandLineOptions,
): ChildProcessByStdio<Writable, Readable, Readable> {
  const { VIDGEN_KEY: _, VIDGEN_URL: __, ...rest } = process.env;
  const variables = { ...(url && { VIDGEN_URL: url }), ...(key && { VIDGEN_KEY: key }) };
  const env = { ...rest, XDG_CONFIG_HOME: settings, ...variables };
  const cwd = existsSync(settings) && statSync(settings).isDirectory() ? settings : undefined;
  return spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'], env, cwd });
}

export async function runCommandLine(args: readonly string[], options: CommandLineOptions) {
  const child = startCommandLine(args, options);
  child.stdin.end();
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exit: exit as number };
}

/** Resolves with the match once the output contains one; the rest is read and dropped. */
export async function waitForOutput(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
  return await new Promise((resolve, reject) => {
    let output = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      const found = pattern.exec(output);
      if (found) resolve(found);
    });
    stream.on('end', () => reject(new Error(`the output ended without ${pattern}: ${output}`)));
  });
}
