/**
 * Ratios that an upstream names as we do. It has no name for `adaptive`: the field is left out, and
 * the video has the shape of the first frame.
 */
export const sameRatios = {
  '16:9': '16:9',
  '4:3': '4:3',
  '1:1': '1:1',
  '3:4': '3:4',
  '9:16': '9:16',
  adaptive: null,
};
