/**
 * The process that parses customers' files: it has no secrets, opens no connections and keeps
 * nothing between two files. The pool kills it when it takes too long.
 */
import { Logging, LogLevel } from 'mediabunny';
import { type DurationInput, type DurationResult, measureDuration } from './media-duration.ts';

/** One file at a time: the next is sent after the previous result. */
export type DurationWorkerRequest = DurationInput;
export type DurationWorkerMessage =
  | { readonly ready: true }
  | { readonly measured: DurationResult };

// Hostile files must not write to the log.
Logging.level = LogLevel.Silent;

const send = (message: DurationWorkerMessage): void => void process.send?.(message);

process.on('message', async (file: DurationWorkerRequest) => {
  send({ measured: await measureDuration(file) });
});
// The parent process is gone.
process.on('disconnect', () => process.exit());
send({ ready: true });
