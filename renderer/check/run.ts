/**
 * `npm run preview:check`: makes a clip of every kind the catalogue allows, reads it back and holds
 * it to what it promises. Writes `docs/preview-check.md`. Words choose: `-- 4k edit`.
 */
import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openScratch } from '../testing/rendered.ts';
import { allCases, type CheckCase, nameOf } from './cases.ts';
import { checkCase } from './check.ts';
import { type ClipCheck, likenessMin } from './judge.ts';
import { createMaterials } from './materials.ts';

const words = process.argv.slice(2);
const cases = allCases().filter((one) => words.every((word) => nameOf(one).includes(word)));
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
    const row = await checkCase(one, { name, scratch, materials }).then(
      (verdict) => rowOf(one, verdict),
      (error: Error) => failedRow(one, [error.message]),
    );
    rows[number] = row;
    process.stdout.write(`${row}\n`);
    for (const ending of ['mp4', 'jpg', 'png', 'json']) {
      await rm(join(scratch.folder, `${name}.${ending}`), { force: true });
    }
  }
}

function rowOf(one: CheckCase, verdict: ClipCheck): string {
  const { clip, first, last, lastPicture, problems } = verdict;
  if (problems.length > 0) return failedRow(one, problems);
  const decibels = [first, last, lastPicture].map((value) => value?.toFixed(1) ?? '');
  const level = (clip.level / 10).toFixed(1);
  const sound = clip.audio!.seconds.toFixed(3);
  const shown = [`${clip.width}x${clip.height}`, clip.frames, level, sound, ...decibels];
  return `| ${nameOf(one)} | ${shown.join(' | ')} | |`;
}

function failedRow(one: CheckCase, problems: readonly string[]): string {
  failed += 1;
  return `| ${nameOf(one)} | ${' | '.repeat(6)} | ${problems.join('; ')} |`;
}

const slots = Math.max(1, Math.min(4, availableParallelism()));
await Promise.all(Array.from({ length: slots }, work));
const outcome = `${cases.length - failed} passed, ${failed} failed`;
const head = `# Clips, checked

Made by \`npm run preview:check\`: for every mode, resolution and ratio that the catalogue allows, a
clip of one second, read back and decoded. Each is H.264 High, yuv420p, bt709 in limited range,
square pixels, 24 frames a second, index first, with 48 kHz stereo AAC within 50 ms of its length,
or its row says what is wrong. Likeness in dB of the first and last frame to what they must show,
and of the picture handed out as the last frame; ${likenessMin} is the least.

**${outcome}.**

| clip | size | frames | level | sound s | first dB | last dB | picture dB | problems |
|---|---|---|---|---|---|---|---|---|`;
if (words.length === 0) {
  const file = join(import.meta.dirname, '../../docs/preview-check.md');
  await writeFile(file, `${[head, ...rows].join('\n')}\n`);
}
process.stdout.write(`\n${outcome}\n`);
process.exitCode = failed > 0 ? 1 : 0;
