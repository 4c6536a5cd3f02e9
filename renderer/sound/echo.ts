/** An echo in time with the music: from side to side, and duller each time. */
import { type Stereo, sampleRate } from './sound.ts';

/** Puts into `echoed` what is heard of the bus besides the bus itself. */
export function createEcho(options: {
  readonly delaySeconds: number;
  /** How much of each echo is in the next one. */
  readonly feedback: number;
}): (bus: Stereo, echoed: Stereo, count: number) => void {
  const length = Math.max(64, Math.round(options.delaySeconds * sampleRate));
  const { feedback } = options;
  const lines = { left: new Float32Array(length), right: new Float32Array(length) };
  const state = new Float64Array(4);
  let place = 0;
  return (bus, echoed, count) => {
    const { left, right } = lines;
    let [dullLeft, dullRight, lowLeft, lowRight] = state as unknown as [
      number,
      number,
      number,
      number,
    ];
    for (let at = 0; at < count; at += 1) {
      dullLeft += 0.32 * (left[place]! - dullLeft);
      dullRight += 0.32 * (right[place]! - dullRight);
      // Lows are left out, or the echoes would pile up into a drone.
      lowLeft += 0.022 * (dullLeft - lowLeft);
      lowRight += 0.022 * (dullRight - lowRight);
      const heardLeft = dullLeft - lowLeft;
      const heardRight = dullRight - lowRight;
      left[place] = (bus.left[at]! + bus.right[at]!) * 0.5 + heardRight * feedback;
      right[place] = heardLeft;
      echoed.left[at] = heardLeft;
      echoed.right[at] = heardRight;
      place = place + 1 === length ? 0 : place + 1;
    }
    state.set([dullLeft, dullRight, lowLeft, lowRight]);
  };
}
