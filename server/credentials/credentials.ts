/**
 * Signs results before they are stored. Whatever goes wrong, the file is as it was: a signature
 * never costs a video.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type Chunks, NewFile } from '../egress/save-stream.ts';
import type { Log } from '../telemetry/log.ts';
import { signImage } from './image.ts';
import { createManifestMaker, type ManifestMaker, type Statement } from './manifest.ts';
import { CannotSign, HasManifest } from './mp4.ts';
import type { SigningKeys } from './signing-keys.ts';
import { writeMp4 } from './write-mp4.ts';

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

type SavedVideo = {
  readonly opened: NewFile;
  readonly bytes: number;
  readonly state: CredentialState;
};

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
    const isOdd = error instanceof CannotSign && error.cause === undefined;
    log[isOdd ? 'info' : 'warn']({ taskId, storageKey, error }, 'result not signed');
    return { state: 'unsigned', detail: isOdd ? error.message : 'signing failed' };
  };
  return {
    /** A video that is signed while it is saved in a new file. */
    newVideo: (file: string, statement: ResultStatement) =>
      new VideoFile(file, {
        makerOf: () => makerOf(statement),
        stateOf: (reason) => (reason ? stateOf(reason, statement) : { state: 'signed' }),
      }),

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

type Signing = {
  readonly makerOf: () => ManifestMaker;
  /** Null: it was signed. */
  readonly stateOf: (reason: Error | null) => CredentialState;
};

/** Stays open until it is stored, so that it is synced without being opened again. */
export class VideoFile {
  readonly file: string;
  readonly #signing: Signing;
  #saved: SavedVideo | null = null;

  constructor(file: string, signing: Signing) {
    this.file = file;
    this.#signing = signing;
  }

  /** Of a video that was saved. */
  get saved(): SavedVideo {
    if (!this.#saved) throw new Error('the video was not saved');
    return this.#saved;
  }

  /** For `saveStream`. */
  async save(chunks: Chunks): Promise<number> {
    const { makerOf, stateOf } = this.#signing;
    const opened = await NewFile.open(this.file);
    try {
      const { bytes, reason } = await writeMp4(opened, chunks, makerOf);
      this.#saved = { opened, bytes, state: stateOf(reason) };
      return bytes;
    } catch (error) {
      await opened.close().catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#saved?.opened.close();
  }
}
