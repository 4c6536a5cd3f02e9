/**
 * `GET /vidgen.mjs`: the command line, as `cli/` has it, but for its default address: the copy that
 * a service hands out asks that service.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer, Asked, Service } from './service.ts';

const program = join(import.meta.dirname, '../../cli', 'vidgen.mjs');
/** A literal of the program; `npm start` serves there unless told otherwise. */
const defaultAddress = "'http://127.0.0.1:8787'";

export async function getCommandLine({ publicUrl }: Service, _asked: Asked): Promise<Answer> {
  const written = await readFile(program, 'utf8');
  return {
    text: written.replace(defaultAddress, () => JSON.stringify(publicUrl())),
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  };
}
