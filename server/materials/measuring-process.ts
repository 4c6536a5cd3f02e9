/**
 * The process that parses what customers' addresses hold, and nothing else: it has no secret, opens
 * no connection and keeps nothing between two files. Whoever asks kills it when it takes too long.
 */
import { Logging, LogLevel } from 'mediabunny';
import { type Measurable, type Measured, measure } from './measure.ts';

/** One file at a time: the next is sent when the last was answered. */
export type ToProcess = Measurable;
export type FromProcess = { readonly ready: true } | { readonly measured: Measured };

// What a hostile file would have printed is nobody's log.
Logging.level = LogLevel.Silent;

const say = (message: FromProcess): void => void process.send?.(message);

process.on('message', async (file: ToProcess) => {
  say({ measured: await measure(file) });
});
// Nobody is left to ask.
process.on('disconnect', () => process.exit());
say({ ready: true });
