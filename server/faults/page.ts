/** docs/reliability.md: what is promised, what can go wrong, and what was found by trying it. */
import { failures } from './failures.ts';
import type { Proof } from './proof.ts';
import { proofs } from './proofs.ts';
import type { Result } from './results.ts';

const number = (value: number): string => value.toLocaleString('en-US');
const proofOf = (name: string): Proof => proofs.find((one) => one.name === name)!;

/** The table of what was run: zeros where zeros must be. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { name, runs, acknowledged, lost, doubled, unfinished, broken, violations } = result;
    const { title, unit } = proofOf(name);
    const counts = [acknowledged, lost, doubled, unfinished, broken, violations.length];
    return `| ${title} | ${number(runs)} ${unit} | ${counts.map(number).join(' | ')} |`;
  });
  return `| What was done | Runs | Acknowledged | Lost | Doubled | Not final | Invariants broken | Violations |
|---|--:|--:|--:|--:|--:|--:|--:|
${rows.join('\n')}
`;
}

export function pageOf(results: readonly Result[]): string {
  return `# Reliability

${promises}

## What was found

${tableOf(results)}
${unrun(results)}*Acknowledged* are creates the service said yes to meanwhile. *Lost*: one of them is unknown afterwards.
*Doubled*: generated, and so paid for, twice at the provider. *Not final*: not ended two minutes after
the failure was over. *Invariants broken*: the books, the receivers or the results are not as they must be.
*Violations* counts all of these and whatever else must not be, each of which is printed as a sentence.

## What can go wrong, and what shows that it does no harm

${failureTable()}
## How each was run

${results.map(section).join('\n')}`;
}

function unrun(results: readonly Result[]): string {
  const names = proofs
    .map(({ name }) => name)
    .filter((one) => !results.some(({ name }) => name === one));
  return names.length === 0 ? '' : `Not run in full yet: ${names.join(', ')}.\n\n`;
}

function failureTable(): string {
  const rows = failures.map(({ number, failure, expected, tests }) => {
    const shown = proofs
      .filter((one) => one.failures.includes(number))
      .map(({ name }) => `\`${name}\``);
    const links = tests.map((path) => `[${path.split('/').at(-1)}](../${path})`);
    return `| ${number} | ${failure} | ${expected} | ${shown.join(', ')} | ${links.join(', ')} |`;
  });
  return `| # | Failure | What must happen | \`npm run faults --\` | In \`npm test\` |
|--:|---|---|---|---|
${rows.join('\n')}
`;
}

function section(result: Result): string {
  const { name, runs, seed, minutes, endedOn, machine, load, notes, violations, details } = result;
  const { title, unit, runs: full } = proofOf(name);
  const count = runs === full ? '' : ` --runs ${runs}`;
  const lines = [
    `### ${name}`,
    '',
    `${title[0]!.toUpperCase()}${title.slice(1)}. \`npm run faults -- ${name}${count} --seed ${seed}\`: ${number(runs)} ${unit} in ` +
      `${minutes} minutes, ${endedOn}, on ${machine}, load ${load}.`,
    '',
    ...notes.map((note) => `- ${note}`),
    ...violations.map((one) => `- ✖ ${one}`),
    ...(notes.length + violations.length > 0 ? [''] : []),
    ...(details ? [details] : []),
  ];
  return `${lines.join('\n')}`;
}

const promises = `What is promised, and shown below by doing the worst to the real service, real processes and a real
database:

- **Accepted means durable.** A create that was answered with 200 exists, whatever happens next.
- **Reserved credits end once**: charged when the video is there, refunded when it is not.
- **A generation is paid for once.** A submit whose answer was lost is looked up, never repeated blindly.
- **A webhook is sent at least once**, with one id and the same bytes, in at most six attempts.
- **A revoked key** is refused within five seconds everywhere, at once where it was revoked.
- **Nobody is reached** that an address from outside must not lead to.

\`npm run faults\` runs everything (hours), \`npm run faults -- pauses\` one proof, \`--runs 20\` a shorter one.
What a machine lacks (root, namespaces, a Debian package) is skipped, and said. \`npm test\` holds a share of
each kind. A run can be repeated by its seed as far as chance is ours; the timing of processes is not.
`;
