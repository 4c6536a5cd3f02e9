/** A sailing boat or a folded paper boat that rides the swell, with a reflection. */
import { type Canvas, createCanvas, Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { addLight, glowOf, type SceneContext } from '../scene.ts';

type BoatPlan = {
  readonly isPaper: boolean;
  /** Position at the middle of the clip, in pixels; `y` is the waterline. */
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly depth: number;
  readonly swell: number;
  /** In a storm, how far waves lift the water at a position, in pixels. */
  readonly liftAt: ((x: number, second: number) => number) | null;
};

/** As a share of the image's height, from its top. */
const waterline = 0.93;

export function createBoat(scene: SceneContext, plan: BoatPlan) {
  const { palette, random, brief, seconds } = scene;
  const { isPaper, tall } = plan;
  const image = createCanvas(Math.ceil(tall * (isPaper ? 1.8 : 0.9)), Math.ceil(tall));
  const painted = image.getContext('2d');
  painted.scale(tall, tall);
  painted.translate(image.width / tall / 2, 0);
  (isPaper ? paintPaper : paintSails)(painted, scene);
  const phase = random() * Math.PI * 2;
  const way = isPaper || random() < 0.5 ? 1 : -1;
  const pace = brief.pace ** 0.6;
  const speed = (isPaper ? 0.02 : 0.012) * scene.size.height * pace;
  const drawMirror = plan.liftAt ? null : createMirror(scene, image);
  const hasLamp = !isPaper && palette.time !== 'day';
  const lamp = hasLamp ? glowOf(mix(palette.light, [255, 190, 100], 0.5), 64) : null;

  return (context: SKRSContext2D, camera: Camera): void => {
    const { second } = camera;
    const lean = (isPaper ? 0.045 : 0.022) * plan.swell;
    const x = plan.x + way * speed * (second - seconds / 2);
    const bob = plan.liftAt
      ? -plan.liftAt(x, second) * 0.8
      : Math.sin(second * 1.4 * pace + phase + 1) * tall * 0.014 * plan.swell;
    camera.look(context, plan.depth, () => {
      context.save();
      context.translate(x, plan.y + bob);
      drawMirror?.(context, second);
      context.rotate(Math.sin(second * 1.1 * pace + phase) * lean);
      context.scale(way, 1);
      context.drawImage(image, -image.width / 2, -tall * waterline);
      if (lamp) {
        const side = tall * 0.2;
        addLight(context, () => {
          context.drawImage(lamp, -tall * 0.29 - side / 2, -tall * 0.1 - side / 2, side, side);
        });
      }
      context.restore();
    });
  };
}

function paintSails(context: SKRSContext2D, { palette, brief }: SceneContext): void {
  const { low, middle, horizon, light, shade, time } = palette;
  const isDay = time === 'day';
  const dim = { dawn: 0.62, day: 0.1, dusk: 0.66, night: 0.8 }[time];
  const isRed = brief.colors[0]?.color === 'red';
  const paint: Color = isRed ? [186, 46, 40] : mix(shade, [122, 62, 34], 0.5);
  const dark = mix(middle, shade, 0.8);
  const cloth = mix(white, dark, { dawn: 0.12, day: 0, dusk: 0.16, night: 0.5 }[time]);
  const sail = mix(cloth, isDay ? light : horizon, isDay ? 0.2 : 0.3);
  const sailShade = mix(mix(cloth, low, 0.45), shade, isDay ? 0.08 : 0.3);
  const rope = mix(dark, low, 0.2);
  fillPath(context, sail, 'M-.02 .04Q-.12 .5-.36 .8Q-.18 .83-.02 .78Z');
  fillPath(context, sailShade, 'M-.02 .04Q-.01 .5-.13 .8L-.02 .78Z');
  fillPath(context, sail, 'M.01 .12Q.2 .46 .33 .8Q.14 .74 .03 .76Z');
  fillPath(context, sailShade, 'M.01 .12L.03 .76Q.11 .5 .13 .77Z');
  strokePath(context, rope, 0.014, 'M0 .01V.86');
  strokePath(context, rope, 0.01, 'M-.38 .81L.02 .8');
  const hull = 'M-.4 .845Q0 .87 .43 .83Q.39 .93 .3 .97Q0 .985-.33 .97Z';
  fillPath(context, mix(paint, dark, dim), hull);
  const deck = 'M-.4 .845Q0 .87 .43 .83Q.42 .842 .415 .852Q0 .892-.39 .866Z';
  fillPath(context, mix(mix(paint, white, 0.35), dark, dim), deck);
  if (isDay) return;
  fillPath(context, mix(light, [255, 190, 100], 0.5), 'M-.3 .82h.025v.025h-.025Z');
}

/** Four tones of one sheet: each fold is lit differently. */
function paintPaper(context: SKRSContext2D, { palette }: SceneContext): void {
  const { horizon, low, shade, light, time } = palette;
  const dim = { dawn: 0.06, day: 0, dusk: 0.1, night: 0.24 }[time];
  const paper: Color = mix(mix(white, light, 0.3), mix(horizon, low, 0.5), dim);
  const tone = (share: number): Color => mix(paper, mix(low, shade, 0.45), share);
  // The far side, the sail, then the near side.
  fillPath(context, tone(0.5), 'M-.88 .34L-.3 .6L.3 .6L.88 .34L.1 .8L-.1 .8Z');
  fillPath(context, tone(0.1), 'M0 .02L-.4 .74L0 .8Z');
  fillPath(context, tone(0.32), 'M0 .02L.4 .74L0 .8Z');
  fillPath(context, tone(0), 'M-.88 .34L0 .68V.98H-.5Z');
  fillPath(context, tone(0.24), 'M.88 .34L0 .68V.98H.5Z');
  fillPath(context, tone(0.14), 'M-.88 .34L-.5 .98H-.36Z');
  fillPath(context, tone(0.42), 'M.88 .34L.5 .98H.36Z');
}

/** Draws the reflection below the origin, faded and swaying. */
function createMirror({ unit }: SceneContext, image: Canvas) {
  const [wide, tall] = [image.width, image.height];
  const mirrored = createCanvas(wide, Math.ceil(tall * 0.7));
  const painted = mirrored.getContext('2d');
  painted.save();
  painted.translate(0, tall * waterline * 0.7);
  painted.scale(1, -0.7);
  painted.drawImage(image, 0, 0);
  painted.restore();
  const fade = painted.createLinearGradient(0, 0, 0, mirrored.height);
  fade.addColorStop(0, 'rgba(0,0,0,.5)');
  fade.addColorStop(0.8, 'rgba(0,0,0,0)');
  painted.globalCompositeOperation = 'destination-in';
  painted.fillStyle = fade;
  painted.fillRect(0, 0, wide, mirrored.height);
  const slice = Math.max(3, Math.round(tall / 34));
  return (context: SKRSContext2D, second: number): void => {
    for (let from = 0; from < mirrored.height; from += slice) {
      const away = from / mirrored.height;
      const shift = Math.sin(second * 2.1 + from * 0.35) * (1 + away * 7) * unit;
      const rows = Math.min(slice, mirrored.height - from);
      context.drawImage(mirrored, 0, from, wide, rows, -wide / 2 + shift, from, wide, rows);
    }
  };
}

function fillPath(context: SKRSContext2D, color: Color, path: string): void {
  context.fillStyle = css(color);
  context.fill(new Path2D(path));
}

function strokePath(context: SKRSContext2D, color: Color, width: number, path: string): void {
  context.strokeStyle = css(color);
  context.lineWidth = width;
  context.stroke(new Path2D(path));
}
