/** Loads node-av, the native FFmpeg binding, when it is first needed. */

/** Throws where this platform has no build of node-av. */
export const loadAv = async () => ({
  ...(await import('node-av/api')),
  ...(await import('node-av/lib')),
  constants: await import('node-av/constants'),
});
export type Av = Awaited<ReturnType<typeof loadAv>>;

/** First boxes of MP4 and MOV files, at byte 4. */
export const mp4Boxes = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
