/** `completion`: prints a script that completes commands and flags in a shell. */
import { usageError } from './output.mjs';

/** @import { Command } from './arguments.mjs' */

/** @param {string} shell @param {Record<string, Command>} commands */
export function completion(shell, commands) {
  const write = new Map(Object.entries({ bash, zsh, fish })).get(shell);
  if (!write) throw usageError(`completion requires bash, zsh or fish (got "${shell}").`);
  const flagsOf = Object.entries(commands).map(([name, [, flags]]) => {
    const kinds = `${flags} json help`.trim().split(' ');
    return /** @type {[string, string[]]} */ ([name, kinds]);
  });
  process.stdout.write(write([...flagsOf, ['help', []]]));
}

/** @typedef {[command: string, flags: string[]][]} Words a flag with `=` takes a value */

/** @param {string[]} flags */
const dashed = (flags) => flags.map((flag) => `--${flag.split('=')[0]}`).join(' ');

/** @param {Words} words */
const bash = (words) => `_vidgen() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${words.map(([name]) => name).join(' ')}"
  else
    case "\${COMP_WORDS[1]}" in
${words.map(([name, flags]) => `      ${name}) words="${dashed(flags)}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _vidgen vidgen
`;

/** @param {Words} words */
const zsh = (words) => `#compdef vidgen
_vidgen() {
  if (( CURRENT == 2 )); then
    compadd -- ${words.map(([name]) => name).join(' ')}
    return
  fi
  case "\${words[2]}" in
${words.map(([name, flags]) => `    ${name}) compadd -- ${dashed(flags)} ;;`).join('\n')}
  esac
  [[ "\${words[CURRENT]}" == -* ]] || _files
}
compdef _vidgen vidgen
`;

/** @param {Words} words */
const fish = (words) =>
  words
    .flatMap(([name, flags]) => [
      `complete -c vidgen -n __fish_use_subcommand -f -a ${name}`,
      ...flags.map((flag) => {
        const value = flag.includes('=') ? ' -r' : '';
        const condition = `'__fish_seen_subcommand_from ${name}'`;
        return `complete -c vidgen -n ${condition} -l ${flag.split('=')[0]}${value}`;
      }),
    ])
    .map((line) => `${line}\n`)
    .join('');
