/**
 * Which module may import which. Modules of one layer do not import each other, and imports point
 * to lower layers only, so that the service can be read from the bottom up and a module can be
 * changed alone.
 */
import { fileReferences } from './source.ts';
import {
  formatProblem,
  isStandalone,
  isTestCode,
  resolveIn,
  sourceFiles,
  type Tree,
} from './tree.ts';

/**
 * The layers from the bottom up. A module is a folder, or a file that stands alone. A file named
 * here belongs to its own layer, whatever that of its folder.
 */
const layers: readonly (readonly string[])[] = [
  ['contract'],
  ['server/config', 'server/crypto', 'server/process', 'server/telemetry'],
  ['server/database', 'server/egress', 'renderer', 'dashboard'],
  [
    'server/accounts',
    'server/rate-limits',
    'server/catalog',
    'server/credentials',
    'server/ledger',
    'server/messages',
    'server/processes',
    'server/tasks',
    'server/queue',
    'server/providers',
    'server/materials',
    'server/openid',
    'server/storage',
    'server/webhooks',
    'server/top-ups',
  ],
  // Combines the settings of the modules below; presets are such settings, for configurations.
  ['server/config/config-file.ts', 'presets'],
  ['server/lifecycle', 'server/doctor'],
  ['server/api', 'server/worker'],
  ['server/start'],
  ['server/compose.ts', 'server/config/settings.ts'],
  [
    'server/main.ts',
    'server/doctor/run.ts',
    'server/database/run-migrations.ts',
    'server/backup',
    'vidgen.config.example.ts',
  ],
];

/** Folders at the bottom of the server, which may import each other. */
const baseLayer = layers[1] ?? [];

/** Modules that may import less than their layer allows. */
const importsOnly: Readonly<Record<string, readonly string[]>> = {
  renderer: ['contract'],
  dashboard: ['contract'],
};
/** Modules that fewer may import than their layer allows. */
const importedOnlyBy: Readonly<Record<string, readonly string[]>> = {
  renderer: ['server/providers', 'server/materials'],
  // Browsers run it; the service only serves the build.
  dashboard: [],
};

type ImportEdge = { readonly from: string; readonly to: string; readonly line: number };

export function layerProblems(tree: Tree): string[] {
  const edges = importsIn(tree);
  return [...unassignedFiles(tree), ...edges.flatMap(problemWith), ...cycles(edges)];
}

export function importsIn(tree: Tree): ImportEdge[] {
  return sourceFiles(tree).flatMap(([from, text]) =>
    fileReferences(text).flatMap(({ value, line }) => {
      const to = resolveIn(tree, from, value);
      return to === undefined ? [] : [{ from, to, line }];
    }),
  );
}

function moduleOf(path: string): string | undefined {
  const modules = layers.flat();
  if (modules.includes(path)) return path;
  return modules.find((module) => path.startsWith(`${module}/`));
}

function layerOf(module: string): number {
  return layers.findIndex((modules) => modules.includes(module));
}

function unassignedFiles(tree: Tree): string[] {
  return sourceFiles(tree)
    .filter(([path]) => !isTestCode(path) && !isStandalone(path) && moduleOf(path) === undefined)
    .map(([path]) =>
      formatProblem(path, 1, 'belongs to no module: add it to the layers in checks/layers.ts'),
    );
}

function problemWith({ from, to, line }: ImportEdge): string[] {
  if (isTestCode(from)) return [];
  const problem = (message: string) => [formatProblem(from, line, message)];
  if (isTestCode(to)) return problem(`only test code may import ${to}`);
  if (isStandalone(from) !== isStandalone(to)) {
    return problem(`standalone programs and the project do not import each other: ${to}`);
  }
  const importer = moduleOf(from);
  const imported = moduleOf(to);
  if (importer === undefined || imported === undefined || importer === imported) return [];
  const only = importsOnly[importer];
  if (only && !only.includes(imported))
    return problem(`${importer} imports ${only.join(', ')} only, not ${to}`);
  const importers = importedOnlyBy[imported];
  if (importers && !importers.includes(importer)) {
    return problem(`${imported} is for ${importers.join(', ') || 'browsers'} only`);
  }
  if (layerOf(imported) < layerOf(importer)) return [];
  if (baseLayer.includes(importer) && baseLayer.includes(imported)) return [];
  return problem(
    layerOf(imported) === layerOf(importer)
      ? `${importer} and ${imported} are siblings: let a module above combine them`
      : `${importer} is below ${imported}: let ${imported} call it, or pass what it needs`,
  );
}

/** Each cycle once, beginning with its alphabetically first file. */
function cycles(edges: readonly ImportEdge[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges.filter((edge) => !isTestCode(edge.from))) {
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const found = new Map<string, string>();
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const cycle = path.slice(at);
      const first = cycle.indexOf([...cycle].sort()[0] ?? file);
      const ordered = [...cycle.slice(first), ...cycle.slice(0, first)];
      const problem = `import cycle: ${[...ordered, ordered[0]].join(' → ')}`;
      found.set(ordered.join(), formatProblem(ordered[0] ?? file, 1, problem));
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of [...next.keys()].sort()) walk(file, []);
  return [...found.values()];
}
