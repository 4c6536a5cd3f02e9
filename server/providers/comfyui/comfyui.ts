/**
 * ComfyUI with workflows of the operator's. A prompt has an id that we choose, so a lost answer is
 * resolved by looking for it; all that the server knows is in memory, so what it does not know
 * once the answer has settled is not being made, a restart included.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { FindResult, Provider, StartResult } from '../provider.ts';
import type { MaterialOptions } from '../toolkit/fetch-material.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { asOperation, asRecord } from '../toolkit/response-values.ts';
import { acceptedResult, startResultOf } from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { type ComfyCallOptions, createComfyCalls } from './calls.ts';
import { cancelPrompt } from './cancel.ts';
import { parseStartResult } from './errors.ts';
import { materialSecondsMax, uploadMaterials } from './materials.ts';
import { findPrompt } from './prompt-state.ts';
import { createStatus } from './status.ts';
import { operationOf, valuesFor } from './values.ts';
import {
  readWorkflow,
  unsupportedReason,
  type Workflow,
  type WorkflowSettings,
  workflowFor,
} from './workflow.ts';

export type ComfyUiOptions = ComfyCallOptions &
  MaterialOptions & {
    readonly name: string;
    readonly workflows: Partial<Record<ModelName, readonly WorkflowSettings[]>>;
    readonly supports?: { readonly resolutions?: readonly string[] | undefined };
    readonly usualSeconds?: number;
    readonly settleSeconds?: number;
  };

/** Beyond our own time-outs, for a server that is busy when the prompt arrives. */
const settleMarginSeconds = 60;

export function createComfyUi(options: ComfyUiOptions): Provider {
  const calls = createComfyCalls(options);
  const workflows = readWorkflows(options);
  const makes4k = options.supports?.resolutions?.includes('4k') ?? false;
  const settleSeconds =
    options.settleSeconds ??
    materialSecondsMax + calls.createTimeoutMs / 1000 + settleMarginSeconds;
  const workflowOf = (generation: Generation) =>
    workflowFor(workflows[generation.model] ?? [], generation);
  // Versions before July 2025 give every prompt an id of their own: nothing can be looked up then.
  let givesOwnIds = false;

  async function start(reference: string, generation: Generation): Promise<StartResult> {
    const workflow = workflowOf(generation);
    if (!workflow) {
      const detail = `${options.name} has no workflow for this ${generation.model}`;
      return { outcome: 'refused', canFailOver: true, reason: 'failed', detail };
    }
    const operation = operationOf(reference);
    const uploaded = await uploadMaterials(calls, generation, { ...options, operation });
    if ('outcome' in uploaded) return uploaded;
    const { names, shape } = uploaded;
    const values = valuesFor(generation, { workflow, operation, shape, uploaded: names });
    const outcome = await calls.queuePrompt(operation, fillTemplate(workflow.graph, values));
    const result = toStartResult(outcome);
    if (result.outcome === 'accepted' && result.operation !== operation) givesOwnIds = true;
    return result;
  }

  async function find(reference: string, secondsSinceStart: number): Promise<FindResult> {
    const operation = operationOf(reference);
    const prompt = await findPrompt(calls, operation);
    if (prompt.state === 'busy') return { outcome: 'unknown', detail: 'too many look at once' };
    if (prompt.state === 'unclear') {
      return { outcome: 'unknown', detail: prompt.detail ?? 'not so fast' };
    }
    if (prompt.state !== 'absent') return { outcome: 'found', operation };
    if (givesOwnIds) return { outcome: 'unknown', detail: 'the server gives ids of its own' };
    return secondsSinceStart >= settleSeconds
      ? { outcome: 'absent' }
      : { outcome: 'unknown', detail: 'not on the server, but it may still appear' };
  }

  return {
    name: options.name,
    protection: 'look-up',
    unsupportedReason: (generation) => {
      const candidates = workflows[generation.model] ?? [];
      return unsupportedReason(candidates, generation, { makes4k });
    },
    typicalSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
    start: ({ reference, generation }) => start(reference, generation),
    status: createStatus(calls, workflowOf),
    cancel: (operation) => cancelPrompt(calls, operation),
    find: (reference, _, secondsSinceStart) => find(reference, secondsSinceStart),
    close: () => calls.close(),
  };
}

/** Low on purpose: cards differ many times over, and too much would keep tasks from being sent. */
const guessedSeconds = (outputSeconds: number): number => 30 + 12 * Math.max(outputSeconds, 5);

function readWorkflows({
  name,
  workflows,
}: ComfyUiOptions): Partial<Record<ModelName, Workflow[]>> {
  const read = (settings: WorkflowSettings): Workflow => {
    const workflow = readWorkflow(settings);
    if ('problem' in workflow) throw new Error(`${name}: ${settings.file} ${workflow.problem}`);
    return workflow;
  };
  return Object.fromEntries(
    Object.entries(workflows).map(([model, list]) => [model, list.map(read)]),
  );
}

const toStartResult = (outcome: UpstreamOutcome): StartResult =>
  startResultOf(outcome, (response) =>
    response.status === 200
      ? acceptedResult(asOperation(asRecord(response.json)?.prompt_id), response)
      : parseStartResult(response),
  );
