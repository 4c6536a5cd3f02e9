/** Loads node-av, the native FFmpeg binding, when it is first needed. */

const importAv = async () => ({
  ...(await import('node-av/api')),
  ...(await import('node-av/lib')),
  constants: await import('node-av/constants'),
});
export type Av = Awaited<ReturnType<typeof importAv>>;

let loading: Promise<Av> | undefined;

/** Throws where this platform has no build of node-av. */
export const loadAv = (): Promise<Av> => {
  loading ??= importAv();
  return loading;
};

/** First boxes of MP4 and MOV files, at byte 4. */
export const mp4Boxes = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
