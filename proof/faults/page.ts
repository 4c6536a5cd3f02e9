/** docs/reliability.md: what is promised, what can go wrong, and what was found by trying it. */
import { failures } from './failures.ts';
import type { FaultTest } from './fault-test.ts';
import { faultTests } from './registry.ts';
import type { PublishedResult } from './results.ts';

const columns = [
  'Acknowledged',
  'Lost',
  'Doubled',
  'Not final',
  'Invariants broken',
  'Violations',
] as const;

const number = (value: number): string => value.toLocaleString('en-US');
const faultTestOf = (name: string): FaultTest => faultTests.find((one) => one.name === name)!;

/** The table of what was run: zeros where zeros must be. */
export function tableOf(results: readonly PublishedResult[]): string {
  const rows = results.map((result) => {
    const { name, runs, acknowledged, lost, doubled, unfinished, broken, violations } = result;
    const { title, unit } = faultTestOf(name);
    const counts = [acknowledged, lost, doubled, unfinished, broken, violations.length];
    return `| ${title} | ${number(runs)} ${unit} | ${counts.map(number).join(' | ')} |`;
  });
  const head = `| What was done | Runs | ${columns.join(' | ')} |`;
  return [head, `|---|--:|${columns.map(() => '--:|').join('')}`, ...rows, ''].join('\n');
}

export function pageOf(results: readonly PublishedResult[]): string {
  return [
    '# Reliability',
    promises,
    '## What was found',
    `${tableOf(results)}${unrun(results)}`,
    meanings,
    '## What can go wrong, and what shows that it does no harm',
    failureTable(),
    '## What a machine cannot show here',
    limits,
    '## How each was run',
    ...results.map(section),
  ].join('\n\n');
}

function unrun(results: readonly PublishedResult[]): string {
  const names = faultTests
    .map(({ name }) => name)
    .filter((one) => !results.some(({ name }) => name === one));
  return names.length === 0 ? '' : `\nNot run in full yet: ${names.join(', ')}.`;
}

function failureTable(): string {
  const rows = Object.entries(failures).map(([number, { failure, expected, tests }]) => {
    const shown = faultTests
      .filter((one) => one.failures.includes(Number(number)))
      .map(({ name }) => `\`${name}\``);
    const links = tests.map((path) => `[${path.split('/').at(-1)}](../${path})`);
    return `| ${number} | ${failure} | ${expected} | ${shown.join(', ')} | ${links.join(', ')} |`;
  });
  return [
    '| # | Failure | What must happen | `npm run faults --` | In `npm test` |',
    '|--:|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function section(result: PublishedResult): string {
  const { name, asked, runs, seed, minutes, endedOn, machine, load, notes, violations } = result;
  const { title, unit, runs: full } = faultTestOf(name);
  const count = asked === full ? '' : ` --runs ${asked}`;
  const messages = [...notes, ...violations.map((one) => `✖ ${one}`)];
  return [
    `### ${name}`,
    `${title[0]!.toUpperCase()}${title.slice(1)}.`,
    [
      `\`npm run faults -- ${name}${count} --seed ${seed}\`: ${number(runs)} ${unit}`,
      `in ${minutes} minutes, ${endedOn}, on ${machine}, load ${load}.`,
    ].join('\n'),
    ...(messages.length > 0 ? [messages.map((one) => `- ${one}`).join('\n')] : []),
    ...(result.details ? [result.details.trimEnd()] : []),
  ].join('\n\n');
}

const promises = `
What is promised, and shown below by doing the worst to the real service: real processes, a real
database, real sockets and files.

- **Accepted means durable.** A create that was answered with 200 exists, whatever happens next.
- **Reserved credits end once**: charged when the video is there, refunded when it is not.
- **A generation is paid for once.** A submit whose answer was lost is looked up, never repeated
  blindly.
- **A webhook is sent at least once**, with one id and the same bytes, in at most six attempts.
- **A revoked key** is refused within five seconds everywhere, at once where it was revoked.
- **Nobody is reached** that an address from outside must not lead to.

\`npm run faults\` runs everything, for hours; \`npm run faults -- pauses\` one proof, and with
\`--runs 20\` a shorter one. What a machine lacks (root, namespaces, a Debian package) is skipped,
and said. \`npm test\` holds a share of each kind. A run can be repeated by its seed as far as
chance is ours; the timing of processes is not. \`npm run soak\` is half an hour of all at once,
with charts: [soak.md](soak.md), and [on the embedded engine](soak-embedded.md).
`.trim();

const meanings = `
*Acknowledged* are creates the service said yes to meanwhile. *Lost*: one of them is unknown
afterwards. *Doubled*: generated, and so paid for, twice at the provider. *Not final*: not ended
long after the failure was over. *Invariants broken*: the books, the receivers or the results are
not as they must be. *Violations* counts all of these and whatever else must not be.
`.trim();

const limits = `
- That two things take the same time: what is shown is that they do the same work.
- TCP cannot connect to multicast, broadcast, or link-local addresses without a zone, so no sensor
  sees those; for them the proof demands that the guard refused before a socket was opened. An
  operator's own networks numbered from public space are refused by the list of interfaces: that is
  shown by unit tests only.
- The orders of commits that \`money-schedules\` draws are not lock waits inside two transactions at
  once: \`money-crashes\` and \`kills\` have those, but nobody draws them.
- A disk that lies about \`fsync\`, a machine that loses power, memory that flips bits, a second
  machine: everything here is one machine, with processes and namespaces for hosts.
- On the embedded engine the database's clock is the machine's. Set forward, deadlines and expiries
  pass as if the time had; set back, they end later, and due work is not held up. Callbacks that a
  provider signed with a time are judged by the clock of the process: with a wrong one they are
  refused, and looks take over.
- Failover loses nothing acknowledged only where the standby is synchronous; what an asynchronous
  one had not received is lost. It needs an address that moves: a name, a virtual address, a proxy.
- Behind PgBouncer in transaction mode notifications do not arrive unless
  \`VIDGEN_DATABASE_LISTEN_URL\` leads past it: work is found within 0.25 s, a waiting client is
  answered within 2 s, a revoked key is refused within 5 s.
- Behaviour behind a particular proxy.
- Real upstreams: providers are doubles that speak their wire format, checked by the vendors' own
  clients.
`.trim();
