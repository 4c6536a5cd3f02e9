/** The values of a task for the placeholders of a workflow. */
import { createHash } from 'node:crypto';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import { type Size, sizeOf } from '@vidgen/renderer/size.ts';
import { explicitSeed } from '../toolkit/generation-input.ts';
import { optionValues } from '../toolkit/options.ts';
import type { PlaceholderValues } from '../toolkit/placeholders.ts';
import type { Workflow } from './workflow.ts';

const defaults = { frameStep: 4, block: 16 };

/** Derives the prompt id from the reference, so that a prompt can be found without a response. */
export function operationOf(reference: string): string {
  const bytes = createHash('sha256').update(`comfyui ${reference}`).digest().subarray(0, 16);
  // UUID version 8 (custom) and the standard variant.
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
 * A task without a seed gets one derived from the operation: with a constant seed, ComfyUI would
 * return the same video from its cache. `web_search` and `return_last_frame` have no placeholder
 * and are ignored: no last frame then.
 */
export function valuesFor(
  generation: Generation,
  inputs: {
    readonly workflow: Workflow;
    readonly operation: string;
    /** Of the first image, for `adaptive`. */
    readonly shape: Size | null;
    /** Names on the server by placeholder. */
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
    ...optionValues(generation),
    prompt: generation.prompt,
    seed: explicitSeed(generation) ?? derivedSeed(operation),
    width: inBlocks(width),
    height: inBlocks(height),
    seconds,
    frames: seconds === undefined ? undefined : framesOf(seconds, workflow),
    fps: workflow.fps,
    sound: generation.generateAudio,
    operation,
  };
}

/** Rounds up, so that a video is never shorter than paid for. */
function framesOf(seconds: number, { fps, frameStep = defaults.frameStep }: Workflow) {
  return fps === undefined ? undefined : Math.ceil((seconds * fps) / frameStep) * frameStep + 1;
}

const derivedSeed = (operation: string): number =>
  createHash('sha256').update(`seed ${operation}`).digest().readUInt32BE(0);
