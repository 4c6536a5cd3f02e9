/** What the commands `backup`, `restore` and `move` share: options, output, and the exit. */
import { parseArgs } from 'node:util';
import { SecretMismatchError } from '../accounts/installation-secret.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { loadEnvFile } from '../config/start-environment.ts';
import { HomeLockedError } from '../process/home-lock.ts';
import { awsSecretNames, parseS3Url } from '../storage/s3-settings.ts';
import { StorageError } from '../storage/storage.ts';
import { redact, registerSecret } from '../telemetry/log.ts';
import { type BackupStore, openBucketStore, openFolderStore } from './backup-store.ts';
import { DamagedPartError } from './part.ts';

export const print = (line: string): void => void process.stdout.write(`${redact(line)}\n`);

/** An error of the operator or of the outside world, whose message says all there is to say. */
const expectedErrors = [
  ...[ConfigError, HomeLockedError, SecretMismatchError],
  ...[DamagedPartError, StorageError],
];

/** Runs a command to its end and exits. Cut anywhere, it leaves nothing that could be mistaken. */
export async function runCommand(work: () => Promise<void>): Promise<never> {
  // Rows and files belong to customers.
  process.umask(0o077);
  // The launcher sends a message to stop, and a closed channel means that it died.
  process.on('message', () => process.exit(1));
  process.on('disconnect', () => process.exit(1));
  process.on('uncaughtException', exitWithError);
  loadEnvFile();
  await work().catch(exitWithError);
  process.exit(0);
}

function exitWithError(error: unknown): never {
  const isSystemError = typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string';
  const isExpected = isSystemError || expectedErrors.some((kind) => error instanceof kind);
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const errors = error instanceof ConfigError ? error.errors.join('\n') : message;
  process.stderr.write(`${redact(isExpected ? errors : (stack ?? message))}\n`);
  process.exit(1);
}

/** Options that take a value, and flags that take none; throws `ConfigError` with the usage. */
export function readOptions<const Name extends string, const Flag extends string = never>(
  usage: string,
  names: readonly Name[],
  flags: readonly Flag[] = [],
): Partial<Record<Name, string> & Record<Flag, boolean>> {
  const options = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  try {
    return parseArgs({ options, allowPositionals: false }).values as ReturnType<
      typeof readOptions<Name, Flag>
    >;
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}\nUsage: ${usage}`]);
  }
}

export function requireOption(value: string | undefined, usage: string): string {
  if (value) return value;
  throw new ConfigError([`Usage: ${usage}`]);
}

/** A folder, or `s3://bucket/prefix?region=…` with the credentials of the AWS clients. */
export function openBackupStore(place: string, { aws }: Config): BackupStore {
  for (const name of awsSecretNames) registerSecret(aws[name] ?? null);
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) return openFolderStore(place);
  try {
    return openBucketStore(parseS3Url(place), aws);
  } catch (error) {
    throw new ConfigError([`${place}: ${(error as Error).message}`]);
  }
}
