/**
 * ComfyUI with the workflows of an installation. The id of a prompt is derived from the reference,
 * so a start with a lost response is found by its id. The server keeps its state in memory, so a
 * prompt that it does not know is not being made, even after a restart.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { FindResult, Provider, StartRequest } from '../provider.ts';
import { type AdapterOptions, supportedResolutions } from '../settings.ts';
import { createAsyncAdapter } from '../toolkit/async-adapter.ts';
import { absentOnceSettled, unknownFind, unreadableFind } from '../toolkit/find-result.ts';
import type { MaterialOptions } from '../toolkit/materials.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import { notConfigured } from '../toolkit/start-result.ts';
import { createComfyCalls } from './calls.ts';
import { errors } from './errors.ts';
import { materialSecondsMax, uploadMaterials } from './materials.ts';
import { cancelPrompt, createStatus, findPrompt } from './prompts.ts';
import type { ComfyUiSettings } from './settings.ts';
import { operationOf, valuesFor } from './values.ts';
import {
  readWorkflow,
  unsupportedReason,
  type Workflow,
  type WorkflowSettings,
  workflowFor,
} from './workflow.ts';

export type ComfyUiOptions = AdapterOptions<typeof ComfyUiSettings> & MaterialOptions;

/** Added to the timeouts of a start: the server may be busy when the prompt arrives. */
const settleMarginSeconds = 60;

export function createComfyUi(options: ComfyUiOptions): Provider {
  const calls = createComfyCalls(options);
  const workflows = readWorkflows(options);
  const makes4k = ({ generationType }: Generation): boolean =>
    supportedResolutions(options.supports ?? {}, generationType)?.includes('4k') ?? false;
  const settleSeconds =
    options.settleSeconds ??
    materialSecondsMax + calls.createTimeoutMs / 1000 + settleMarginSeconds;
  const workflowOf = (generation: Generation) =>
    workflowFor(workflows[generation.model] ?? [], generation);
  // Versions before July 2025 ignore our id, so a prompt cannot be found by it.
  let ignoresOurId = false;

  async function start({ reference, generation }: StartRequest) {
    const workflow = workflowOf(generation);
    if (!workflow) {
      return notConfigured(`${options.name} has no workflow for this ${generation.model} task`);
    }
    const operation = operationOf(reference);
    const uploaded = await uploadMaterials(calls, generation, { ...options, operation });
    if ('outcome' in uploaded) return uploaded;
    const { names, shape } = uploaded;
    const values = valuesFor(generation, { workflow, operation, shape, uploaded: names });
    return await calls.queuePrompt(operation, fillTemplate(workflow.graph, values));
  }

  function startedOperation(json: unknown, { reference }: StartRequest): string | undefined {
    const operation = asOperation(asRecord(json)?.prompt_id);
    if (operation !== undefined && operation !== operationOf(reference)) ignoresOurId = true;
    return operation;
  }

  async function find(reference: string, secondsSinceStart: number): Promise<FindResult> {
    const operation = operationOf(reference);
    const prompt = await findPrompt(calls, operation);
    if (prompt.state === 'unknown') return unreadableFind(prompt.result);
    if (prompt.state !== 'absent') return { outcome: 'found', operation };
    if (ignoresOurId) return unknownFind('the server assigns its own ids');
    return absentOnceSettled({ secondsSinceStart, settleSeconds });
  }

  return createAsyncAdapter({
    name: options.name,
    downloadsMaterials: true,
    imageFormats: ['JPEG', 'PNG', 'WebP', 'GIF', 'BMP'],
    protection: 'look-up',
    unsupportedReason: (generation) => {
      const candidates = workflows[generation.model] ?? [];
      return unsupportedReason(candidates, generation, { makes4k: makes4k(generation) });
    },
    typicalSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    errors,
    start,
    startedOperation,
    status: createStatus(calls, workflowOf),
    cancel: (operation) => cancelPrompt(calls, operation),
    find: (reference, _, secondsSinceStart) => find(reference, secondsSinceStart),
    close: calls.close,
  });
}

/** Deliberately low: GPUs differ widely, and a high estimate would keep tasks from being sent. */
const guessedSeconds = (outputSeconds: number): number => 30 + 12 * Math.max(outputSeconds, 5);

function readWorkflows({
  name,
  workflows,
}: ComfyUiOptions): Partial<Record<ModelName, Workflow[]>> {
  const read = (settings: WorkflowSettings): Workflow => {
    const workflow = readWorkflow(settings);
    if ('problem' in workflow)
      throw new Error(`${name}: ${settings.file ?? 'graph'} ${workflow.problem}`);
    return workflow;
  };
  return Object.fromEntries(
    Object.entries(workflows).map(([model, list]) => [model, list.map(read)]),
  );
}
