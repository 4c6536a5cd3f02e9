/** The meanings that words of a prompt can have, as the English table lists them. */
import englishWords from './english.json' with { type: 'json' };

export { englishWords };

type Rows = keyof typeof englishWords;
type Values<Group extends string, Row = Rows> = Row extends `${Group}:${infer Value} ${number}`
  ? Value
  : never;

export type SceneKind = Values<'scene'>;
export type TimeOfDay = Values<'time'>;
export type Weather = Values<'weather'>;
export type Mood = Values<'mood'>;
export type CameraWord = Values<'camera'>;
/** `slowest` is slow motion, `fast` includes time lapses. */
export type PaceWord = Values<'pace'>;
export type ColorWord = Values<'color'>;
/** How all colors are changed: none, soft, glowing, rich or aged. */
export type ColorStyle = Values<'look'>;
/** Objects that appear in a scene when the prompt names them. */
export type Thing = Values<'thing'>;
export type Meaning<Row = Rows> = Row extends `${infer Value} ${number}` ? Value : never;
