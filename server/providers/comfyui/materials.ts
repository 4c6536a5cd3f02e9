/**
 * Uploads a task's files to ComfyUI under our own names. A server in this network never gets a
 * customer's URL or file name.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { Size } from '@vidgen/renderer/size.ts';
import type { StartResult } from '../provider.ts';
import { type MaterialFile, type MaterialOptions, withMaterials } from '../toolkit/materials.ts';
import { retryStart } from '../toolkit/start-result.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import type { ComfyCalls } from './calls.ts';
import { errors } from './errors.ts';
import { uploadedName } from './wire.ts';
import { filesOf } from './workflow.ts';

type UploadedMaterials = {
  /** Names on the server by placeholder. */
  readonly names: Readonly<Record<string, string>>;
  readonly shape: Size | null;
};

/** For downloading and uploading together. */
export const materialSecondsMax = 240;

/** Returns the names for the workflow, or why no prompt was sent. */
export async function uploadMaterials(
  calls: ComfyCalls,
  generation: Generation,
  options: MaterialOptions & { readonly operation: string },
): Promise<UploadedMaterials | StartResult> {
  const wanted = filesOf(generation);
  if (wanted.length === 0) return { names: {}, shape: null };

  async function upload(files: readonly MaterialFile[], deadline: AbortSignal) {
    const names: Record<string, string> = {};
    for (const { placeholder, kind, index } of wanted) {
      const found = files.find((one) => one.kind === kind && one.index === index)!;
      // The operation is unguessable.
      const name = `${options.operation}-${placeholder.replaceAll('_', '-')}.${found.extension}`;
      const uploaded = uploadResult(await calls.upload({ ...found, fileName: name }, deadline));
      if (typeof uploaded !== 'string') return uploaded;
      names[placeholder] = uploaded;
    }
    return { names, shape: files.find(({ shape }) => shape !== null)?.shape ?? null };
  }
  return withMaterials(generation, { ...options, secondsMax: materialSecondsMax }, upload);
}

/** Whatever the result of an upload, no prompt was sent, so it can be retried. */
function uploadResult(outcome: UpstreamOutcome): string | StartResult {
  if (outcome.kind === 'unsent') {
    return { ...retryStart(`not connected: ${outcome.detail}`), unreachable: true };
  }
  if (outcome.kind === 'lost') return retryStart(`upload: ${outcome.detail}`);
  if (outcome.status !== 200) {
    const result = errors.startResult(outcome, { materials: true });
    return result.outcome === 'unknown' ? retryStart(`upload: ${result.detail}`) : result;
  }
  return uploadedName(outcome.json) ?? retryStart('upload: the response has no name');
}
