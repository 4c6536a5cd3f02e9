/** What a task puts into the placeholders of a workflow: numbers as numbers, files by name. */
import { createHash } from 'node:crypto';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type Size, sizeOf } from '@vidgen/renderer/size.ts';
import type { PlaceholderValues } from '../toolkit/placeholders.ts';
import type { Workflow } from './workflow.ts';

const defaults = { frameStep: 4, block: 16 };

/** The same for every start of one reference, so that it can be looked up without an answer. */
export function operationOf(reference: string): string {
  const bytes = createHash('sha256').update(`comfyui ${reference}`).digest().subarray(0, 16);
  // Version 8, "of one's own making", and the usual variant.
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/**
 * A workflow always has a seed; where the task has none, one is drawn from the operation: with a
 * constant, ComfyUI would find the same video in its cache. `web_search` and `return_last_frame`
 * have no placeholder and promise nothing that is not available: the last frame is null.
 */
export function valuesFor(
  generation: Generation,
  inputs: {
    readonly workflow: Workflow;
    readonly operation: string;
    /** What `adaptive` follows; null where no picture tells. */
    readonly shape: Size | null;
    /** Placeholders of files to their names on the server. */
    readonly uploaded: Readonly<Record<string, string>>;
  },
): PlaceholderValues {
  const { workflow, operation, shape, uploaded } = inputs;
  const { width, height } = sizeOf(generation, shape);
  const block = workflow.block ?? defaults.block;
  const inBlocks = (side: number): number => Math.max(1, Math.round(side / block)) * block;
  const seconds = generation.duration > 0 ? generation.duration : undefined;
  return {
    ...uploaded,
    prompt: generation.prompt,
    seed: (generation.seed ?? -1) < 0 ? derivedSeed(operation) : generation.seed!,
    width: inBlocks(width),
    height: inBlocks(height),
    seconds,
    frames: seconds === undefined ? undefined : framesOf(seconds, workflow),
    fps: workflow.fps,
    sound: generation.generateAudio,
    operation,
  };
}

/** Video models make one frame and then groups of them; never less than what is paid for. */
function framesOf(seconds: number, { fps, frameStep = defaults.frameStep }: Workflow) {
  return fps === undefined ? undefined : Math.ceil((seconds * fps) / frameStep) * frameStep + 1;
}

const derivedSeed = (operation: string): number =>
  createHash('sha256').update(`seed ${operation}`).digest().readUInt32BE(0);
