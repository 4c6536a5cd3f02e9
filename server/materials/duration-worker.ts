/**
 * The process that parses customers' files: it has no secrets, opens no connections and keeps
 * nothing between two files. The pool kills it when it takes too long.
 */
import '@vidgen/renderer/ignore-signals.ts';
import { Logging, LogLevel } from 'mediabunny';
import { decodeRequests } from './duration-request.ts';
import { type DurationResult, measureDuration } from './media-duration.ts';

/** A line of output. The next file is sent after the previous result. */
export type DurationWorkerMessage =
  | { readonly ready: true }
  | { readonly measured: DurationResult };

// Hostile files must not write to the log.
Logging.level = LogLevel.Silent;

const send = (message: DurationWorkerMessage): void =>
  void process.stdout.write(`${JSON.stringify(message)}\n`);

send({ ready: true });
for await (const file of decodeRequests(process.stdin)) {
  send({ measured: await measureDuration(file) });
}
// The parent process is gone.
process.exit();
