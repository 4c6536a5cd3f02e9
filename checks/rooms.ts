/**
 * Who may use whom. Rooms are nouns and strangers to each other; imports point to lower floors
 * only, so the service can be read from the ground up, and a room can be changed alone.
 */
import { fileReferences, readSource } from './source.ts';
import { complaint, isBackstage, isOutbuilding, programs, resolveIn, type Tree } from './tree.ts';

/** The plan of the house, from the ground up. A room is a folder, or a file that stands alone. */
const floors: readonly (readonly string[])[] = [
  ['contract'],
  [
    'server/config.ts',
    'server/log.ts',
    'server/clock.ts',
    'server/refusal.ts',
    'server/crash-point.ts',
    'server/heap.ts',
    'server/home.ts',
    'server/listen.ts',
    'server/version.ts',
  ],
  ['server/database', 'server/egress', 'renderer', 'dashboard'],
  [
    'server/accounts',
    'server/rate-limits',
    'server/catalog',
    'server/ledger',
    'server/tasks',
    'server/queue',
    'server/providers',
    'server/materials',
    'server/storage',
    'server/webhooks',
    'server/top-ups',
  ],
  // Its settings are those of the rooms.
  ['server/config-file.ts'],
  ['server/lifecycle'],
  ['server/api', 'server/worker'],
  ['server/assemble.ts', 'server/first-start.ts', 'server/settings.ts'],
  ['server/main.ts', 'vidgen.config.example.ts'],
];

/** The ground floor of the server: single files that may use each other. */
const foundations = floors[1] ?? [];

/** Rooms that use less than their floor allows. */
const usesOnly: Readonly<Record<string, readonly string[]>> = {
  renderer: ['contract'],
  dashboard: ['contract'],
};
/** Rooms that fewer may use than their floor allows. */
const usedOnlyBy: Readonly<Record<string, readonly string[]>> = {
  renderer: ['server/providers'],
  // Browsers run it; the service only hands out what was built.
  dashboard: [],
};

type Use = { readonly from: string; readonly to: string; readonly line: number };

export function roomProblems(tree: Tree): string[] {
  const uses = usesIn(tree);
  return [...homeless(tree), ...uses.flatMap(problemWith), ...cycles(uses)];
}

export function usesIn(tree: Tree): Use[] {
  return programs(tree).flatMap(([from, text]) =>
    fileReferences(readSource(text)).flatMap(({ value, line }) => {
      const to = resolveIn(tree, from, value);
      return to === undefined ? [] : [{ from, to, line }];
    }),
  );
}

function roomOf(path: string): string | undefined {
  return floors.flat().find((room) => path === room || path.startsWith(`${room}/`));
}

function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}

function homeless(tree: Tree): string[] {
  return programs(tree)
    .filter(([path]) => !isBackstage(path) && !isOutbuilding(path) && roomOf(path) === undefined)
    .map(([path]) =>
      complaint(path, 1, 'is in no room: give it one in the plan of checks/rooms.ts'),
    );
}

function problemWith({ from, to, line }: Use): string[] {
  if (isBackstage(from)) return [];
  const problem = (message: string) => [complaint(from, line, message)];
  if (isBackstage(to)) return problem(`only tests may use ${to}`);
  if (isOutbuilding(from) !== isOutbuilding(to)) {
    return problem(`the set-up, the examples and what is handed out stand alone: part from ${to}`);
  }
  const user = roomOf(from);
  const used = roomOf(to);
  if (user === undefined || used === undefined || user === used) return [];
  const only = usesOnly[user];
  if (only && !only.includes(used))
    return problem(`${user} uses ${only.join(', ')} only, not ${to}`);
  const users = usedOnlyBy[used];
  if (users && !users.includes(user)) {
    return problem(`${used} is for ${users.join(', ') || 'browsers'} only`);
  }
  if (floorOf(used) < floorOf(user)) return [];
  if (foundations.includes(user) && foundations.includes(used)) return [];
  return problem(
    floorOf(used) === floorOf(user)
      ? `${user} and ${used} are strangers: let a room above bring them together`
      : `${user} lies below ${used}: let ${used} call it, or hand it what it needs`,
  );
}

/** Each circle once, from its alphabetically first file. */
function cycles(uses: readonly Use[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of uses.filter((use) => !isBackstage(use.from))) {
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const found = new Map<string, string>();
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const circle = path.slice(at);
      const first = circle.indexOf([...circle].sort()[0] ?? file);
      const told = [...circle.slice(first), ...circle.slice(0, first)];
      const problem = `use each other in a circle: ${[...told, told[0]].join(' → ')}`;
      found.set(told.join(), complaint(told[0] ?? file, 1, problem));
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of [...next.keys()].sort()) walk(file, []);
  return [...found.values()];
}
