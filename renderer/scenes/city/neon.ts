/** Neon signs: boards with strokes like letters, and a pulsing glow around them. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { colorsOf, css, mix, white } from '../../color.ts';
import { oneOf, type Random } from '../../random.ts';
import { addLight, glowOf } from '../scene.ts';

export type Sign = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: number;
  readonly phase: number;
};

const neonColors = colorsOf('ff368c 34e2ff ffc43c 8c60ff 4affaa ff5440');

export const planSign = (
  random: Random,
  box: Pick<Sign, 'x' | 'y' | 'width' | 'height'>,
): Sign => ({
  ...box,
  color: Math.floor(random() * neonColors.length),
  phase: random() * 10,
});

/** Paints the board, its frame and the letters; the glow is drawn in every frame. */
export function paintSign(context: SKRSContext2D, random: Random, sign: Sign): void {
  const { x, y, width, height } = sign;
  const color = neonColors[sign.color]!;
  const isTall = height > width;
  const thin = Math.max(0.8, Math.min(width, height) * 0.07);
  context.fillStyle = css(mix([8, 6, 18], color, 0.2), 0.94);
  context.fillRect(x, y, width, height);
  context.strokeStyle = css(mix(color, white, 0.25));
  context.lineWidth = thin;
  context.strokeRect(x + thin, y + thin, width - thin * 2, height - thin * 2);
  const side = Math.min(width, height) * 0.62;
  const letters = Math.max(1, Math.floor((isTall ? height : width) / (side * 1.45)));
  const other = random() < 0.4 ? oneOf(random, neonColors) : color;
  context.strokeStyle = css(mix(other, white, 0.6));
  context.lineWidth = Math.max(0.8, side * 0.12);
  context.lineCap = 'round';
  context.beginPath();
  for (let letter = 0; letter < letters; letter += 1) {
    const along = (letter + 0.5) / letters;
    const middleX = isTall ? x + width / 2 : x + width * along;
    const middleY = isTall ? y + height * along : y + height / 2;
    // Strokes that resemble letters of no script.
    for (const [dx, dy] of [0, 1, 2].map(() => [random() - 0.5, random() - 0.5])) {
      const isLevel = random() < 0.5;
      context.moveTo(
        middleX - side * (isLevel ? 0.42 : -dx!),
        middleY + side * (isLevel ? dy! : -0.44),
      );
      context.lineTo(
        middleX + side * (isLevel ? 0.42 : dx!),
        middleY + side * (isLevel ? dy! : 0.44),
      );
    }
  }
  context.stroke();
}

/** Draws the light around signs, added to the walls near them. */
export function createNeonGlow() {
  const glows = neonColors.map((color) => glowOf(color, 64));
  return (context: SKRSContext2D, signs: readonly Sign[], second: number): void => {
    addLight(context, () => {
      for (const sign of signs) {
        const across = sign.width + Math.min(sign.width, sign.height) * 2.6;
        const down = sign.height + Math.min(sign.width, sign.height) * 2.2;
        context.globalAlpha = 0.55 * (0.88 + 0.12 * Math.sin(second * 3 + sign.phase));
        const x = sign.x + sign.width / 2 - across / 2;
        const y = sign.y + sign.height / 2 - down / 2;
        context.drawImage(glows[sign.color]!, x, y, across, down);
      }
    });
  };
}
