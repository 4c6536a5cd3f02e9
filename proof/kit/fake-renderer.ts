/**
 * Fake renderer for tests of its process. The prompt of the job selects what it does: describe
 * itself, fail, write nonsense, hang, or use up memory, processor or disk.
 */
import { appendFileSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RenderJob, Report } from '@vidgen/renderer/render-job.ts';

export type RendererOutput = {
  readonly pid: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly job: RenderJob;
};

const sendReport = (report: Report): boolean => process.stdout.write(`${JSON.stringify(report)}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const mebibyte = 1024 ** 2;

/** Takes memory outside of the heap, as images do, a little at a time. */
async function hoard(): Promise<void> {
  const hoarded: Buffer[] = [];
  for (;;) {
    hoarded.push(Buffer.alloc(16 * mebibyte, 1));
    await pause(10);
  }
}

/** Takes more memory at once than a watchdog could notice in time. */
const gulp = (): number => Buffer.alloc(8192 * mebibyte, 1).length;

function burn(): void {
  for (;;);
}

function flood(file: string): void {
  const open = openSync(file, 'w');
  const bytes = Buffer.alloc(mebibyte);
  for (;;) writeSync(open, bytes);
}

async function run(job: RenderJob): Promise<void> {
  const output: RendererOutput = { pid: process.pid, environment: process.env, job };
  const logFile = join(dirname(dirname(job.out.video)), 'diary');
  const record = (line: string) => {
    // Denied unless the test shares a folder.
    try {
      appendFileSync(logFile, `${line}\n`);
    } catch {}
  };
  record(`begin ${process.pid} ${job.generation.prompt}`);
  switch (job.generation.prompt) {
    case 'hang':
      sendReport({ progress: 0.25 });
      await pause(2 ** 30);
      return;
    case 'interrupt':
      process.kill(process.pid, 'SIGINT');
      await pause(2 ** 30);
      return;
    case 'nonsense':
      process.stdout.write('null\n5\n"progress"\n[]\n{"done":true}\n{"progress":"all"}\n');
      return;
    case 'chatter':
      for (;;) process.stdout.write('x'.repeat(65_536)) || (await pause(0));
    case 'hoard':
      return await hoard();
    case 'gulp':
      return void gulp();
    case 'burn':
      return burn();
    case 'flood':
      return flood(job.out.video);
    case 'material':
      sendReport({ failed: 'material', detail: 'image 1: not a picture' });
      return;
    default:
      await pause(150);
      writeFileSync(job.out.video, JSON.stringify(output));
      if (job.out.lastFrame !== null) writeFileSync(job.out.lastFrame, 'an image');
      record(`end ${process.pid}`);
      sendReport({ done: true, seconds: job.generation.duration });
  }
}

if (process.argv[2] === '--check') process.exit(1);
await run(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as RenderJob);
