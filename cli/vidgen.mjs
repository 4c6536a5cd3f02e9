#!/usr/bin/env node
/**
 * The vidgen command line without dependencies, for Node 18.3 or newer; the service serves it as
 * one file. Results go to stdout, everything else to stderr. A create is charged once, however
 * often it is retried.
 */
import { nearest, parseCommand } from './arguments.mjs';
import { create, estimate, generationFlags } from './generate.mjs';
import { help } from './help.mjs';
import { listen } from './listen.mjs';
import { login } from './login.mjs';
import { mcp } from './mcp.mjs';
import { CliError, printStatus, show, state, usageError } from './output.mjs';
import { cancel, credits, get, list, models } from './tasks.mjs';
import { worker } from './worker.mjs';

/** @import { Command } from './arguments.mjs' */

/** `wait` takes no value, `seed=` one, `image=*` several. @type {Record<string, Command>} */
const commands = {
  create: [create, `${generationFlags} wait output= idempotency-key=`],
  estimate: [estimate, generationFlags],
  get: [get, 'wait output=', 'a task ID'],
  cancel: [cancel, '', 'a task ID'],
  list: [list, 'status= model= created-after= created-before= limit= cursor= metadata=*'],
  models: [models, ''],
  credits: [credits, ''],
  mcp: [mcp, ''],
  listen: [listen, 'forward-to= print-secret'],
  login: [login, ''],
  worker: [worker, 'name= url=* engine= kind= slots='],
};

async function main() {
  const [command = 'help', ...args] = process.argv.slice(2);
  state.wantsJson = args.includes('--json');
  if (/^(help|--help|-h)$/.test(command)) return void process.stdout.write(help);
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!found)
    throw usageError(`Unknown command: ${command}.${nearest(command, Object.keys(commands))}`);
  const [values, positional] = parseCommand(command, found, args);
  if (values.help) return void process.stdout.write(help);
  await found[0](values, positional);
}

// Node 18 prints a warning that fetch is experimental.
process.removeAllListeners('warning');
process.stdout.on('error', () => process.exit());
process.on('SIGINT', () => {
  printStatus(`\nStopped. ${state.resumeHint}`);
  process.exit(130);
});
main().catch((error) => {
  if (!(error instanceof CliError)) throw error;
  const { message, info } = error;
  if (state.wantsJson && info.json !== null)
    show(info.json ?? { error: { code: 'command_line', message } }, String);
  printStatus(`vidgen: ${message}`);
  if (info.isUnknown && state.resumeHint) printStatus(state.resumeHint);
  process.exitCode = info.exit ?? 1;
});
