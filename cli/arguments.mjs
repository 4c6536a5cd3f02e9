/** Parses the arguments of a command, and suggests the name that was probably meant. */
import { parseArgs } from 'node:util';
import { usageError } from './output.mjs';

/**
 * @typedef {{ output?: string, [flag: string]: unknown }} Values
 * @typedef {[run: (values: Values, positional: string) => Promise<void>, flags: string,
 *   positional?: string]} Command `positional` names the argument that the command needs.
 */

/** Suggests the most similar name. @param {string} wrong @param {string[]} names */
export function nearest(wrong, names, dashes = '') {
  const off = (/** @type {string} */ name) =>
    [...new Set(name + wrong)].filter((one) => !name.includes(one) || !wrong.includes(one)).length;
  const part = names.find((name) => wrong.includes(name));
  const best = part ?? names.sort((one, other) => off(one) - off(other))[0] ?? '';
  return part || off(best) < 3 ? ` Did you mean ${dashes}${best}?` : '';
}

/**
 * @param {string} name @param {Command} command @param {string[]} rawArgs
 * @returns {[values: Values, positional: string]}
 */
export function parseCommand(name, [, flags, needed], rawArgs) {
  const kinds = `${flags} json help`.trim().split(' ');
  const options = Object.fromEntries(
    kinds.map((kind) => {
      const [flag = '', takes] = kind.split('=');
      /** @type {'boolean' | 'string'} */
      const type = takes === undefined ? 'boolean' : 'string';
      return [flag, { type, multiple: takes === '*', ...(flag === 'output' && { short: 'o' }) }];
    }),
  );
  // parseArgs rejects values with a leading dash, such as `--seed -1` or `--prompt "- a list"`.
  const isValue = (at = 0) =>
    /^-[^-a-z]/i.test(rawArgs[at] ?? '') && /^--[^=]+$/.test(rawArgs[at - 1] ?? '');
  const args = rawArgs.flatMap((arg, at) =>
    isValue(at) ? [] : isValue(at + 1) ? `${arg}=${rawArgs[at + 1]}` : arg,
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [first = ''] = needed ? positionals.splice(0, 1) : ['none'];
    if (first === '' && !values.help) throw new Error(`${name} requires ${needed}.`);
    if (positionals.length === 0) return [values, first];
    throw new Error(`Unexpected argument "${positionals[0]}". Quote text that contains spaces.`);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const [, unknown] = /Unknown option '-{1,2}([^'-][^']*)'/.exec(message) ?? [];
    if (unknown === undefined) throw usageError(message.replace(/\n/g, ' '));
    const advice = nearest(unknown, Object.keys(options), '--');
    throw usageError(`Unknown option --${unknown} for ${name}.${advice}`);
  }
}

/**
 * `--metadata order=42`
 * @param {unknown} flags @param {string} name @returns {Record<string, string> | undefined}
 */
export function parsePairs(flags, name) {
  if (!Array.isArray(flags)) return undefined;
  return Object.fromEntries(
    flags.map((flag) => {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(flag) ?? [];
      if (key === '') throw usageError(`${name} must be KEY=VALUE (got "${flag}").`);
      return [key, value];
    }),
  );
}
