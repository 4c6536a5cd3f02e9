/** Sparks that rise from a fire, sway in the heat and go out. */
import { type Color, css } from '../color.ts';
import { wrap } from '../motion.ts';
import { between } from '../random.ts';
import { addLight, type DrawAt, type SceneContext } from '../scenes/scene.ts';

type SparksPlan = {
  readonly x: number;
  readonly y: number;
  readonly spread: number;
  readonly rise: number;
  readonly count: number;
  readonly colors: readonly [young: Color, old: Color];
};

/** Sparks of similar age are stroked as one path. */
const ages = 5;

export function createSparks(scene: SceneContext, plan: SparksPlan): DrawAt {
  const { random, noise, unit, brief } = scene;
  const sparks = Array.from({ length: plan.count }, () => ({
    phase: random(),
    from: (random() - 0.5) * 2,
    row: random() * 60,
    life: between(random, { from: 1.6, to: 4.2 }),
    rise: between(random, { from: 0.5, to: 1 }),
  }));
  type Spark = (typeof sparks)[number];

  const placeOf = ({ from, row, rise }: Spark, age: number) => {
    const sway = noise.at(age * 2.2 + row, row) * (0.2 + age);
    return {
      x: plan.x + from * plan.spread * (0.35 + age * 0.4) + sway * plan.rise * 0.22,
      y: plan.y - plan.rise * rise * age ** 0.85,
    };
  };

  return (context, second) => {
    const passed = second * brief.pace ** 0.5;
    addLight(context, () => {
      context.lineCap = 'round';
      for (let group = 0; group < ages; group += 1) {
        const age = (group + 0.5) / ages;
        const [young, old] = plan.colors;
        context.strokeStyle = css(age < 0.5 ? young : old, Math.min(1, age * 8) * (1 - age) ** 0.8);
        context.lineWidth = 1.6 * unit;
        context.beginPath();
        for (const spark of sparks) {
          const own = wrap(spark.phase + passed / spark.life);
          if (Math.floor(own * ages) !== group) continue;
          const [head, tail] = [placeOf(spark, own), placeOf(spark, Math.max(0, own - 0.012))];
          context.moveTo(tail.x, tail.y);
          context.lineTo(head.x, head.y);
        }
        context.stroke();
      }
    });
  };
}
