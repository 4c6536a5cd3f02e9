/**
 * What a start prints for the person at the terminal: where everything is, a request to try, and a
 * bar while the first start creates its database. Plain lines where the output is no terminal.
 */
import { join } from 'node:path';
import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import { monotonicMs, startInterval } from '../process/clock.ts';

export const print = (line = ''): void => void process.stdout.write(`${line}\n`);

const labelWidth = 14;
const styled = (style: 'bold' | 'dim' | 'cyan', text: string): string =>
  styleText(style, text, { stream: process.stdout });
const row = (label: string, value: string): void =>
  print(`  ${styled('dim', label.padEnd(labelWidth))}${value}`);
const note = (text: string): void => row('', styled('dim', text));

export function printBanner(info: {
  readonly config: Config;
  readonly publicUrl: string;
  readonly demoKey: string | null;
  readonly bootstrapLink: string | null;
}): void {
  const { config, publicUrl, demoKey, bootstrapLink } = info;
  print();
  if (config.role === 'worker') {
    print('  vidgen worker');
  } else {
    print(`  ${styled('bold', 'vidgen')}  ${publicUrl}`);
    print();
    row('Dashboard', styled('bold', bootstrapLink ?? `${publicUrl}/dashboard`));
    if (bootstrapLink !== null) note('One-time link: makes you the administrator.');
    row('API docs', `${publicUrl}/docs`);
    if (config.adminToken === null) row('Admin token', `in ${join(config.home, 'admin-token')}`);
  }
  if (demoKey !== null) {
    row('API key', styled('cyan', demoKey));
    note('Demo account with 10,000 credits; not shown again.');
    print();
    print('Create your first video:');
    print();
    print(curlCommand(publicUrl, demoKey));
  }
  print();
}

/** One undecorated line with the literal key, so that it can be pasted and scripts can find it. */
function curlCommand(publicUrl: string, key: string): string {
  const body = JSON.stringify({
    model: 'vidgen-2-5',
    input: { prompt: 'A lighthouse on misty cliffs at sunrise, slow dolly in over a calm sea' },
  });
  const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
  const flags = headers.map((header) => `-H '${header}'`).join(' ');
  return `curl ${publicUrl}/v1/videos/generations ${flags} -d '${body}'`;
}

const redrawMs = 100;
const barWidth = 20;
/** How long the first start takes on a usual disk; the bar slows down beyond it. */
const usualMs = 4000;

/** Shows that a first start works, from `start` to `end`; does nothing at other starts. */
export function createFirstRunBar() {
  const { stdout } = process;
  let title = 'Creating the database';
  let startedMs: number | null = null;
  let timer: ReturnType<typeof startInterval> | null = null;
  const elapsedMs = () => monotonicMs() - (startedMs ?? 0);
  const seconds = () => (elapsedMs() / 1000).toFixed(1);
  const draw = () => {
    const full = Math.round((1 - Math.exp(-elapsedMs() / usualMs)) * barWidth);
    const bar = styled('cyan', '━'.repeat(full)) + styled('dim', '━'.repeat(barWidth - full));
    stdout.write(`\r\u001b[2K  ${bar}  ${title} … ${seconds()} s`);
  };
  return {
    start() {
      startedMs = monotonicMs();
      if (stdout.isTTY) timer = startInterval(redrawMs, draw);
      else print(`${title} …`);
    },
    databaseCreated() {
      if (startedMs === null) return;
      if (!timer) print(`Created the database in ${seconds()} s; creating its tables …`);
      title = 'Creating its tables';
    },
    end() {
      timer?.stop();
      if (timer) stdout.write('\r\u001b[2K');
      timer = null;
    },
  };
}
