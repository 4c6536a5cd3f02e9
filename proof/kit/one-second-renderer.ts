/** The built-in renderer with a duration of one second, for tests of its inputs. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { RenderJob } from '@vidgen/renderer/render-job.ts';

const [jobFile = ''] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobFile, 'utf8')) as RenderJob;
const generation = { ...job.generation, duration: 1 };
writeFileSync(jobFile, JSON.stringify({ ...job, generation } satisfies RenderJob));
await import('@vidgen/renderer/render.ts');
