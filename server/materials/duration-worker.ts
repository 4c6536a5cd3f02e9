/**
 * The process that parses what customers' addresses hold, and nothing else: it has no secret, opens
 * no connection and keeps nothing between two files. Whoever asks kills it when it takes too long.
 */
import { Logging, LogLevel } from 'mediabunny';
import { type DurationInput, type DurationResult, measureDuration } from './media-duration.ts';

/** One file at a time: the next is sent when the last was answered. */
export type DurationWorkerRequest = DurationInput;
export type DurationWorkerMessage =
  | { readonly ready: true }
  | { readonly measured: DurationResult };

// What a hostile file would have printed is nobody's log.
Logging.level = LogLevel.Silent;

const send = (message: DurationWorkerMessage): void => void process.send?.(message);

process.on('message', async (file: DurationWorkerRequest) => {
  send({ measured: await measureDuration(file) });
});
// Nobody is left to ask.
process.on('disconnect', () => process.exit());
send({ ready: true });
