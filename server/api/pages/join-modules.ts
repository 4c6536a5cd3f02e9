/**
 * Joins a program of plain JavaScript and the modules that it imports into one file: first the
 * imports of Node, then each module before its importers. Modules share one scope in the result, so
 * no two of them may declare the same name; the test of the command line compiles the result.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `#!` and the comment after it, which begin the result. */
const fileHeader = /^#!.*\n\/\*\*[\s\S]*?\*\/\n/;

export async function joinModules(entry: string): Promise<string> {
  const nodeImports = new Map<string, Set<string>>();
  const bodies = new Map<string, string>();
  await addModule(entry, { nodeImports, bodies });
  const imports = [...nodeImports]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, names]) => `import { ${[...names].sort().join(', ')} } from '${name}';\n`);
  const program = bodies.get(entry)!;
  const header = fileHeader.exec(program)?.[0] ?? '';
  bodies.set(entry, program.slice(header.length));
  const parts = [...bodies.values()].map((body) => body.trim());
  return `${header}${imports.join('')}\n${parts.join('\n\n')}\n`;
}

/** Adds the modules that `file` imports, then `file` itself. */
async function addModule(
  file: string,
  found: { nodeImports: Map<string, Set<string>>; bodies: Map<string, string> },
): Promise<void> {
  const { imports, body } = splitModule(await readFile(file, 'utf8'));
  for (const { names, from } of imports) {
    if (from.startsWith('.')) {
      const imported = join(dirname(file), from);
      if (!found.bodies.has(imported)) await addModule(imported, found);
      continue;
    }
    const known = found.nodeImports.get(from) ?? new Set();
    found.nodeImports.set(from, known);
    for (const name of names) known.add(name);
  }
  found.bodies.set(file, body);
}

type Import = { readonly names: readonly string[]; readonly from: string };

/** Separates the imports, in the form that our formatter writes, and drops `export`. */
function splitModule(source: string): { imports: Import[]; body: string } {
  const imports: Import[] = [];
  const lines: string[] = [];
  let statement = '';
  for (const line of source.split('\n')) {
    if (line.startsWith('/** @import ')) continue;
    if (statement === '' && !line.startsWith('import {')) {
      lines.push(line.startsWith('export ') ? line.slice('export '.length) : line);
      continue;
    }
    statement += line;
    if (!line.endsWith("';")) continue;
    const [names = '', from = ''] = statement.slice('import {'.length, -2).split("} from '");
    imports.push({ names: names.split(',').flatMap((name) => name.trim() || []), from });
    statement = '';
  }
  return { imports, body: lines.join('\n') };
}
