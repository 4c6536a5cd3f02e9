/** A note, as the composer writes it and a player reads it. */

export type Note = {
  readonly startsAt: number;
  /** How long it is held; what follows is its fading. */
  readonly seconds: number;
  /** As MIDI counts: 60 is middle C, 12 an octave. */
  readonly pitch: number;
  readonly loudness: number;
  /** 0 is left, 1 is right. */
  readonly pan: number;
};

export const hertzOf = (pitch: number): number => 440 * 2 ** ((pitch - 69) / 12);
