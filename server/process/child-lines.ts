/**
 * Reads lines of JSON from a process that a file may have taken over. A channel of Node's own would
 * hold a message of gigabytes in our memory, and take file descriptors.
 */
import type { Readable } from 'node:stream';

type LineReader = {
  /** Gets undefined for a line that is no JSON object. */
  readonly onLine: (line: Record<string, unknown> | undefined) => void;
  /** Called once the output exceeds a limit; what follows is dropped. */
  readonly onOverflow: () => void;
  readonly lineCharactersMax: number;
  readonly charactersMax?: number;
};

export function readJsonLines(
  stream: Readable,
  { onLine, onOverflow, lineCharactersMax, charactersMax = Number.POSITIVE_INFINITY }: LineReader,
): void {
  let [rest, characters, isOver] = ['', 0, false];
  stream.setEncoding('utf8').on('data', (text: string) => {
    characters += text.length;
    if (isOver) return;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    isOver = characters > charactersMax || rest.length > lineCharactersMax;
    if (isOver) return onOverflow();
    for (const line of lines) onLine(parseObject(line));
  });
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
