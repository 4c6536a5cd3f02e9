/**
 * `npm run preview:check`: renders and checks a clip of every kind that the catalog allows, and
 * writes `docs/preview-check.md`. Arguments filter the clips by name: `-- 4k edit`.
 */
import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openScratch } from '../testing/rendered.ts';
import { allCases, type CheckCase, nameOf } from './cases.ts';
import { type ClipCheck, checkCase, similarityMin } from './clip-check.ts';
import { createMaterials } from './materials.ts';

const filters = process.argv.slice(2);
const cases = allCases().filter((one) => filters.every((word) => nameOf(one).includes(word)));
await using scratch = await openScratch();
const materials = createMaterials(join(scratch.folder, 'materials'));
const rows: string[] = [];
let failed = 0;
let next = 0;

async function work(): Promise<void> {
  while (next < cases.length) {
    const number = next++;
    const one = cases[number]!;
    const name = `clip-${number}`;
    const row = await checkCase(one, { name, scratch, materials, seconds: 1 }).then(
      (result) => rowOf(one, result),
      (error: Error) => failedRow(one, [error.message]),
    );
    rows[number] = row;
    process.stdout.write(`${row}\n`);
    for (const ending of ['mp4', 'jpg', 'png', 'json']) {
      await rm(join(scratch.folder, `${name}.${ending}`), { force: true });
    }
  }
}

function rowOf(one: CheckCase, result: ClipCheck): string {
  const { clip, first, last, lastImage, problems } = result;
  if (problems.length > 0) return failedRow(one, problems);
  const decibels = [first, last, lastImage].map((value) => value?.toFixed(1) ?? '');
  const level = (clip.level / 10).toFixed(1);
  const audio = clip.audio!.seconds.toFixed(3);
  const shown = [`${clip.width}x${clip.height}`, clip.frames, level, audio, ...decibels];
  return `| ${nameOf(one)} | ${shown.join(' | ')} | |`;
}

function failedRow(one: CheckCase, problems: readonly string[]): string {
  failed += 1;
  return `| ${nameOf(one)} | ${' | '.repeat(6)} | ${problems.join('; ')} |`;
}

const slots = Math.max(1, Math.min(4, availableParallelism()));
await Promise.all(Array.from({ length: slots }, work));
const outcome = `${cases.length - failed} passed, ${failed} failed`;
const head = `# Checked clips

Written by \`npm run preview:check\`: a clip of one second for every kind, resolution and ratio that
the catalog allows, decoded again. Each is H.264 High, yuv420p, bt709 in limited range, with square
pixels, 24 frames per second, its index first, and 48 kHz stereo AAC within 50 ms of its length, or
its row lists the problems. The PSNR in dB compares the first and last frame to what they must show,
and the returned last-frame image to the last frame; the minimum is ${similarityMin}.

**${outcome}.**

| clip | size | frames | level | audio s | first dB | last dB | image dB | problems |
|---|---|---|---|---|---|---|---|---|`;
if (filters.length === 0) {
  const file = join(import.meta.dirname, '../../docs/preview-check.md');
  await writeFile(file, `${[head, ...rows].join('\n')}\n`);
}
process.stdout.write(`\n${outcome}\n`);
process.exitCode = failed > 0 ? 1 : 0;
