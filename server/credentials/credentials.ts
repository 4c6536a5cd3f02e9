/**
 * Signs results before they are stored. Whatever goes wrong, the file is as it was: a signature
 * never costs a video.
 */
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { createSealer } from '../crypto/seal.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../telemetry/log.ts';
import { readBoughtSigner } from './bought-signer.ts';
import { signImage } from './image.ts';
import { type Assertion, createManifest, type Statement } from './manifest.ts';
import { CannotSign, HasManifest, readFileAt, signMp4 } from './mp4.ts';
import { SigningKeys } from './signing-keys.ts';

/**
 * `kept`: it came with a manifest, which is what a player shows. `unsigned`: for the reason in
 * `detail`.
 */
export type CredentialState = {
  readonly state: 'signed' | 'kept' | 'unsigned';
  readonly detail?: string;
};

export type Credentials = ReturnType<typeof createCredentials>;

/** What a result is signed with, without the parts that the installation knows. */
export type ResultStatement = Omit<Statement, 'installation'>;

const imageBytesMax = 16 * 1024 ** 2;
const privateMode = 0o600;

export function createCredentials(options: {
  readonly keys: Pick<SigningKeys, 'signerOf'>;
  readonly installation: string;
  readonly log: Log;
}) {
  const { keys, installation, log } = options;
  const manifestOf = (statement: ResultStatement) => {
    const signer = keys.signerOf(statement.at);
    return (binding: Assertion, isSigned: boolean) =>
      createManifest({ statement: { ...statement, installation }, signer, binding, isSigned });
  };
  const stateOf = (error: unknown, { taskId, storageKey }: ResultStatement): CredentialState => {
    if (error instanceof HasManifest) return { state: 'kept' };
    const isOdd = error instanceof CannotSign;
    log[isOdd ? 'info' : 'warn']({ taskId, storageKey, error }, 'result not signed');
    return { state: 'unsigned', detail: isOdd ? error.message : 'signing failed' };
  };
  const signFile = async (
    file: string,
    statement: ResultStatement,
    sign: (to: string) => Promise<void>,
  ) => {
    const to = `${file}.signed`;
    try {
      await sign(to);
      return { file: to, state: { state: 'signed' } as CredentialState };
    } catch (error) {
      await rm(to, { force: true }).catch(() => {});
      return { file, state: stateOf(error, statement) };
    }
  };
  return {
    /** Returns the file to store: a new one if it was signed, which the caller deletes, too. */
    signVideo: (file: string, statement: ResultStatement) =>
      signFile(file, statement, async (to) => {
        await using from = await open(file);
        const openTo = () => open(to, 'w', privateMode);
        await signMp4(await readFileAt(from), openTo, manifestOf(statement));
      }),
    signImageFile: (file: string, statement: ResultStatement) =>
      signFile(file, statement, async (to) => {
        if ((await stat(file)).size > imageBytesMax) throw new CannotSign('it is too large');
        const signed = signImage(await readFile(file), manifestOf(statement));
        await writeFile(to, signed, { mode: privateMode });
      }),
    /** Returns the bytes to store. */
    signImage(bytes: Uint8Array, statement: ResultStatement) {
      try {
        const signed = signImage(Buffer.from(bytes), manifestOf(statement));
        return { bytes: signed, state: { state: 'signed' } as CredentialState };
      } catch (error) {
        return { bytes, state: stateOf(error, statement) };
      }
    },
  };
}

/** Reads the keys; the first start makes them. */
export async function openCredentials(options: {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  /** 256 bits of the installation, for nothing else. */
  readonly sealingKey: Buffer;
}) {
  const { config, db, log, sealingKey } = options;
  const installation = config.publicUrl === null ? 'vidgen' : new URL(config.publicUrl).hostname;
  const bought = config.boughtSigner && readBoughtSigner(config.boughtSigner);
  const sealer = createSealer(sealingKey);
  const keys = new SigningKeys({ db, log, sealer, organization: installation, bought });
  await keys.start();
  return { keys, credentials: createCredentials({ keys, installation, log }) };
}
