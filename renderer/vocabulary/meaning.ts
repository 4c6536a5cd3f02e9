/** The meanings that words of a prompt can have. All word tables use only these. */
import type { Mood } from '../sound/sound.ts';

export type SceneKind =
  | 'sea'
  | 'mountains'
  | 'city'
  | 'space'
  | 'forest'
  | 'rain'
  | 'snow'
  | 'desert'
  | 'fire'
  | 'flowers'
  | 'flow';
export type TimeOfDay = 'dawn' | 'day' | 'dusk' | 'night';
export type Weather = 'clear' | 'clouds' | 'fog' | 'rain' | 'storm' | 'snow';

export type CameraWord =
  | 'pan-left'
  | 'pan-right'
  | 'tilt-up'
  | 'tilt-down'
  | 'zoom-in'
  | 'zoom-out'
  | 'dolly-in'
  | 'dolly-out'
  | 'orbit'
  | 'still';

/** `slowest` is slow motion, `fast` includes time lapses. */
export type PaceWord = 'slowest' | 'slow' | 'fast';

export type ColorWord =
  | 'red'
  | 'pink'
  | 'orange'
  | 'gold'
  | 'yellow'
  | 'green'
  | 'emerald'
  | 'teal'
  | 'blue'
  | 'indigo'
  | 'violet'
  | 'brown';

/** How all colors are changed: none, soft, glowing, rich or aged. */
export type ColorStyle = 'grey' | 'pastel' | 'neon' | 'vivid' | 'sepia';

/** Objects that appear in a scene when the prompt names them. */
export type Thing =
  | 'aurora'
  | 'autumn'
  | 'balloon'
  | 'beach'
  | 'birds'
  | 'boat'
  | 'cactus'
  | 'camels'
  | 'fireflies'
  | 'fish'
  | 'house'
  | 'island'
  | 'jellyfish'
  | 'lake'
  | 'lighthouse'
  | 'meteor'
  | 'moon'
  | 'pyramids'
  | 'rainbow'
  | 'rays'
  | 'sandstorm'
  | 'ship'
  | 'stars'
  | 'underwater'
  | 'volcano'
  | 'waterfall'
  | 'window'
  | 'winter';

export type Meaning =
  | `scene:${SceneKind}`
  | `time:${TimeOfDay}`
  | `weather:${Weather}`
  | `mood:${Mood}`
  | `camera:${CameraWord}`
  | `pace:${PaceWord}`
  | `color:${ColorWord}`
  | `look:${ColorStyle}`
  | `thing:${Thing}`
  | 'nothing';
