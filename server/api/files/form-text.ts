/** Text fields of a form: a base64 data URI in one is passed on as a file, as in a JSON body. */
import { base64InForm } from './base64-chunks.ts';
import { createByteSource } from './byte-source.ts';
import { headBytesMax, textFields } from './data-uris.ts';
import type { NamedFile } from './request-files.ts';

const headPattern = /^data:([^,]*);base64,/;

/** `metadata[note]` is text like `metadata`. */
export const isTextField = (name: string): boolean =>
  name.split(/[[\].]+/).some((part) => textFields.test(part));

type TextOptions = {
  readonly field: string;
  readonly onFile: (file: NamedFile) => Promise<unknown>;
  /** Counts the bytes of text. Throws if there are too many. */
  readonly count: (bytes: number) => void;
  /** Whether it is a file if it is a data URI. */
  readonly mayBeFile: boolean;
  readonly isKept: boolean;
};

/** Returns the text, or the value that stands for the file. */
export async function readText(
  chunks: AsyncIterable<Buffer>,
  { field, onFile, count, mayBeFile, isKept }: TextOptions,
): Promise<unknown> {
  const source = createByteSource(chunks);
  try {
    if (mayBeFile) await source.readAhead(headBytesMax);
    const { chunk, at } = source;
    const start = chunk.toString('latin1', at, at + headBytesMax);
    const head = mayBeFile ? headPattern.exec(start) : null;
    if (head) {
      source.at += head[0].length;
      return await onFile({ chunks: base64InForm(source), contentType: head[1]!, field });
    }
    let text = '';
    while (await source.hasMore()) {
      count(source.chunk.length - source.at);
      if (isKept) text += source.chunk.toString('latin1', source.at);
      source.at = source.chunk.length;
    }
    return Buffer.from(text, 'latin1').toString();
  } finally {
    await source.close();
  }
}
