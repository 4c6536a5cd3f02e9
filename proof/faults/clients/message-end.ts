/** Finds the end of an HTTP/1.1 message with a content length or in chunks. */

export type MessageEnd = {
  /** Up to the empty line, which is included. */
  readonly headBytes: number;
  /** An offset within the body; the end of the head if there is none. */
  readonly bodyMiddle: number;
  readonly isComplete: boolean;
};

/** Returns null while the head is incomplete. */
export function messageEnd(message: Buffer): MessageEnd | null {
  const headEnd = message.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const headBytes = headEnd + 4;
  const head = message.toString('latin1', 0, headEnd);
  const bodyMiddle = headBytes + Math.floor((message.length - headBytes) / 2);
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const isComplete = message.subarray(-5).equals(Buffer.from('0\r\n\r\n'));
    return { headBytes, bodyMiddle, isComplete };
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return { headBytes, bodyMiddle, isComplete: message.length >= headBytes + length };
}
