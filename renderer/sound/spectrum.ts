/** From a spectrum to the wave it describes: the fast Fourier transform, as a loop over octaves. */

/** In place, unscaled; both as long as the size that it was made for. */
export type InverseTransform = (real: Float64Array, imaginary: Float64Array) => void;

/** The size is a power of two. Angles and order are worked out once, for many transforms. */
export function createInverseTransform(size: number): InverseTransform {
  const cosines = new Float64Array(size / 2);
  const sines = new Float64Array(size / 2);
  for (let at = 0; at < size / 2; at += 1) {
    cosines[at] = Math.cos((2 * Math.PI * at) / size);
    sines[at] = Math.sin((2 * Math.PI * at) / size);
  }
  const mirror = mirrored(size);
  return (real, imaginary) => {
    reorder(real, mirror);
    reorder(imaginary, mirror);
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (half * 2);
      for (let at = 0; at < half; at += 1) {
        const cosine = cosines[at * stride]!;
        const sine = sines[at * stride]!;
        for (let near = at; near < size; near += half * 2) {
          const far = near + half;
          const farReal = real[far]!;
          const farImaginary = imaginary[far]!;
          const turnedReal = farReal * cosine - farImaginary * sine;
          const turnedImaginary = farReal * sine + farImaginary * cosine;
          real[far] = real[near]! - turnedReal;
          imaginary[far] = imaginary[near]! - turnedImaginary;
          real[near]! += turnedReal;
          imaginary[near]! += turnedImaginary;
        }
      }
    }
  };
}

/** Each index with its bits read backwards. */
function mirrored(size: number): Uint32Array {
  const mirror = new Uint32Array(size);
  for (let at = 1; at < size; at += 1) {
    mirror[at] = (mirror[at >> 1]! >> 1) | (at & 1 ? size / 2 : 0);
  }
  return mirror;
}

function reorder(values: Float64Array, mirror: Uint32Array): void {
  for (let at = 0; at < values.length; at += 1) {
    const other = mirror[at]!;
    if (other <= at) continue;
    const value = values[at]!;
    values[at] = values[other]!;
    values[other] = value;
  }
}
