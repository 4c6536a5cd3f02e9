/** The body as JSON, or a refusal that says what is wrong with it. Nothing is coerced or guessed. */
import { Refusal } from '../refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readJson(body: unknown, contentType: string | undefined): unknown {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length === 0 && contentType === undefined) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')) {
    throw new Refusal('invalid_request', 'The header Content-Type must be application/json.');
  }
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8' : positionIn(error as Error);
    throw new Refusal('invalid_request', `The body is not valid JSON: ${why}.`);
  }
}

/** V8 quotes the text around the fault; the place alone is enough and cannot be misread. */
function positionIn({ message }: Error): string {
  const found = /position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(message);
  if (found?.[2]) return `it breaks off at line ${found[2]}, column ${found[3]}`;
  return found ? `it breaks off at character ${found[1]}` : 'it ends too early';
}
