/** A flock that crosses the sky. */
import { css, mix } from '../color.ts';
import type { DrawAt, SceneContext } from '../scenes/scene.ts';

export function createBirds(
  scene: SceneContext,
  { horizon }: { readonly horizon: number },
): DrawAt {
  const { size, palette, random, unit, brief } = scene;
  const count = 7 + Math.floor(random() * 5);
  const way = random() < 0.5 ? -1 : 1;
  const flock = Array.from({ length: count }, (_, index) => ({
    back: index * 0.021 + random() * 0.012,
    aside: (index % 2 === 0 ? 1 : -1) * index * 0.009 + (random() - 0.5) * 0.014,
    wing: (8 + random() * 4) * unit,
    beat: 1.5 + random() * 0.5,
    phase: random(),
  }));
  const startY = horizon * (0.36 + random() * 0.2);
  const across = Math.max(1, size.width / size.height);
  // Slow enough to stay in the frame for the whole clip.
  const speed = Math.min(0.045, (0.5 * across) / scene.seconds) * brief.pace ** 0.5;

  return (context, second) => {
    context.strokeStyle = css(mix(palette.shade, palette.middle, 0.25), 0.9);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    context.lineWidth = 1.7 * unit;
    context.beginPath();
    for (const bird of flock) {
      const lead = 0.3 * across + second * speed - bird.back * across * 0.6;
      const x = (way === 1 ? lead : across - lead) * size.height;
      const sway = Math.sin(second * 0.6 + bird.phase * 6) * 0.006;
      const y = (startY + bird.aside + sway - second * 0.003) * size.height;
      const gliding = Math.sin(second * 0.7 + bird.phase * 9) > 0.35;
      const flap = gliding ? 0.28 : Math.sin((second * bird.beat + bird.phase) * Math.PI * 2);
      const [wing, lift] = [bird.wing, bird.wing * 0.55 * flap];
      context.moveTo(x - wing, y - lift);
      context.quadraticCurveTo(x - wing * 0.45, y - wing * 0.3 - lift * 0.3, x, y);
      context.quadraticCurveTo(x + wing * 0.45, y - wing * 0.3 - lift * 0.3, x + wing, y - lift);
    }
    context.stroke();
  };
}
