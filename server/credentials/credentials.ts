/**
 * Signs results before they are stored. Whatever goes wrong, the file is as it was: a signature
 * never costs a video.
 */
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { Log } from '../telemetry/log.ts';
import { signImage } from './image.ts';
import { createManifestMaker, type Statement } from './manifest.ts';
import { CannotSign, HasManifest, readFileAt, signMp4 } from './mp4.ts';
import type { SigningKeys } from './signing-keys.ts';

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

type SignedFile = {
  readonly file: string;
  readonly isNew: boolean;
  readonly state: CredentialState;
};

const imageBytesMax = 16 * 1024 ** 2;
const privateMode = 0o600;

export function createCredentials(options: {
  readonly keys: Pick<SigningKeys, 'signerOf'>;
  readonly installation: string;
  readonly log: Log;
}) {
  const { keys, installation, log } = options;
  const makerOf = (statement: ResultStatement) =>
    createManifestMaker({ ...statement, installation }, keys.signerOf(statement.at));
  const stateOf = (error: unknown, { taskId, storageKey }: ResultStatement): CredentialState => {
    if (error instanceof HasManifest) return { state: 'kept' };
    const isOdd = error instanceof CannotSign;
    log[isOdd ? 'info' : 'warn']({ taskId, storageKey, error }, 'result not signed');
    return { state: 'unsigned', detail: isOdd ? error.message : 'signing failed' };
  };
  return {
    /**
     * Returns the file to store, and whether that is a new one, which the caller deletes, too. A
     * small file that `mayChange` is signed in place; throws if that fails half way.
     */
    async signVideo(
      file: string,
      statement: ResultStatement,
      { mayChange = false }: { readonly mayChange?: boolean } = {},
    ): Promise<SignedFile> {
      const to = `${file}.signed`;
      let out: FileHandle | null = null;
      let isInPlace = false;
      try {
        await using from = await open(file, mayChange ? 'r+' : 'r');
        const reader = await readFileAt(from);
        isInPlace = mayChange && reader.isSmall;
        const write = async (pieces: readonly Buffer[], at: number) => {
          out ??= isInPlace ? from : await open(to, 'w', privateMode);
          await writeAll(out, pieces, at);
        };
        await signMp4(reader, write, makerOf(statement));
        if (!isInPlace) await out!.close();
        return { file: isInPlace ? file : to, isNew: !isInPlace, state: { state: 'signed' } };
      } catch (error) {
        // Collected again, it is downloaded again.
        if (out && isInPlace) throw error;
        if (out) await (out as FileHandle).close().catch(() => {});
        await rm(to, { force: true }).catch(() => {});
        return { file, isNew: false, state: stateOf(error, statement) };
      }
    },

    async signImageFile(file: string, statement: ResultStatement): Promise<SignedFile> {
      const to = `${file}.signed`;
      try {
        if ((await stat(file)).size > imageBytesMax) throw new CannotSign('it is too large');
        const signed = signImage(await readFile(file), makerOf(statement));
        await writeFile(to, signed, { mode: privateMode });
        return { file: to, isNew: true, state: { state: 'signed' } };
      } catch (error) {
        await rm(to, { force: true }).catch(() => {});
        return { file, isNew: false, state: stateOf(error, statement) };
      }
    },

    /** Returns the bytes to store. */
    signImage(bytes: Uint8Array, statement: ResultStatement) {
      try {
        const signed = signImage(Buffer.from(bytes), makerOf(statement));
        return { bytes: signed, state: { state: 'signed' } as CredentialState };
      } catch (error) {
        return { bytes, state: stateOf(error, statement) };
      }
    },
  };
}

async function writeAll(out: FileHandle, pieces: readonly Buffer[], at: number): Promise<void> {
  const { bytesWritten } = await out.writev(pieces, at);
  const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytesWritten !== length) throw new Error('the signed file was not written completely');
}
