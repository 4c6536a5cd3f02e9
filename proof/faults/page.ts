/**
 * Generates docs/reliability.md: the guarantees, the failures, and the results of the fault tests.
 */
import { failures } from './failures.ts';
import type { FaultTest } from './fault-test.ts';
import { faultTests } from './registry.ts';
import type { PublishedResult } from './results.ts';

const columns = [
  ...['Acknowledged', 'Lost', 'Doubled', 'Not final'],
  ...['Invariants broken', 'Violations'],
];

const number = (value: number): string => value.toLocaleString('en-US');
const faultTestOf = (name: string): FaultTest => faultTests.find((one) => one.name === name)!;

/** One row per result; all columns after the first must be zero. */
export function tableOf(results: readonly PublishedResult[]): string {
  const rows = results.map((result) => {
    const { name, runs, acknowledged, lost, doubled, unfinished, broken, violations } = result;
    const { title, unit } = faultTestOf(name);
    const counts = [acknowledged, lost, doubled, unfinished, broken, violations.length];
    return `| ${title} | ${number(runs)} ${unit} | ${counts.map(number).join(' | ')} |`;
  });
  const head = `| Fault | Runs | ${columns.join(' | ')} |`;
  return [head, `|---|--:|${columns.map(() => '--:|').join('')}`, ...rows, ''].join('\n');
}

export function pageOf(results: readonly PublishedResult[]): string {
  return [
    '# Reliability',
    promises,
    '## Results',
    `${tableOf(results)}${unrun(results)}`,
    meanings,
    '## Failures, and the tests that cover them',
    failureTable(),
    '## Limits of these tests',
    limits,
    '## Each fault test',
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
The guarantees below are tested with real faults against the real service: real processes, a real
database, real sockets and files.

- **Accepted means durable.** A create that was answered with 200 exists, whatever happens next.
- **Reserved credits end once**: charged when the video is there, refunded when it is not.
- **One task for one intent.** A client that repeats a create with the same Idempotency-Key gets the
  first task; two intended creates stay two.
- **A generation is paid for once.** A submit whose response was lost is looked up, never repeated
  blindly.
- **A webhook is sent at least once**, with one id and the same bytes, in at most six attempts.
- **A revoked key** is rejected within five seconds everywhere, at once where it was revoked.
- **No request leaves for an IP address that is not public**, whatever URL it came from.

\`npm run faults\` runs everything, for hours; \`npm run faults -- pauses\` runs one fault test, and
\`--runs 20\` a shorter one. Tests that need more than the machine has (root, namespaces, a Debian
package) are skipped with a message. \`npm test\` contains a sample of each kind. The seed repeats a
run, except for the timing of processes. \`npm run soak\` runs everything at once for half an hour,
with charts: [soak.md](soak.md).
`.trim();

const meanings = `
*Acknowledged*: creates that the service answered with 200 during the test. *Lost*: unknown to the
service afterwards. *Doubled*: generated, and so paid for, twice at the provider. *Not final*: not
ended long after the fault was over. *Invariants broken*: the balances, the webhooks or the results
are wrong. *Violations* counts all of these and every other violation.
`.trim();

const limits = `
- Equal durations: the tests show that two things do the same work, not that they take equally
  long.
- TCP cannot connect to multicast, broadcast, or link-local IP addresses without a zone, so no
  sensor sees those; for them the test requires that the guard rejected the URL before a socket was
  opened. An operator's own networks numbered from public space are rejected by the list of
  interfaces: only unit tests cover that.
- The orders of commits that \`money-schedules\` draws are not lock waits inside two transactions
  at once: \`money-crashes\` and \`kills\` have those, but not in drawn orders.
- A disk that lies about \`fsync\` or loses its own cache, memory that flips bits, a second machine:
  everything here is one machine, with processes and namespaces for hosts. \`power\` loses what the
  kernel had not written to the disk.
- A database clock that jumps. Set forward, deadlines and expiries pass as if the time had; set
  back, they end later, and due work is not held up: only unit tests cover that. Callbacks that a
  provider signed with a timestamp are verified with the clock of the process: with a wrong clock
  they are rejected, and polling takes over.
- Failover loses no acknowledged task only where the standby is synchronous; what an asynchronous
  one had not received is lost. It needs an address that moves: a name, a virtual IP address, a
  proxy.
- Behind PgBouncer in transaction mode notifications do not arrive unless
  \`VIDGEN_DATABASE_LISTEN_URL\` leads past it: work is found within 0.25 s, a waiting client is
  answered within 2 s, and a revoked key is rejected within 5 s.
- Behavior behind a particular proxy. One that hides a broken connection also hides that a response
  was not received: then only an Idempotency-Key keeps a create from being doubled.
- Real upstreams: providers are fakes that speak their wire format, checked by the vendors' own
  clients.
`.trim();
