/**
 * ComfyUI with workflows of the operator's. A prompt has an id that we choose, so a lost answer is
 * resolved by looking for it; all that the server knows is in memory, so what it does not know
 * once the answer has settled is not being made, a restart included.
 */
import type { Generation } from '@vidgen/contract/create-generation.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { FindAnswer, Provider, StartAnswer } from '../provider.ts';
import { asOperation, asRecord } from '../toolkit/answer-values.ts';
import type { MaterialOptions } from '../toolkit/fetch-material.ts';
import { fillTemplate } from '../toolkit/placeholders.ts';
import { acceptedAs, startAnswerOf } from '../toolkit/start-outcome.ts';
import type { UpstreamOutcome } from '../toolkit/upstream.ts';
import { type ComfyCallOptions, createComfyCalls } from './calls.ts';
import { cancelPrompt } from './cancel.ts';
import { startAnswerFor } from './errors.ts';
import { lookFor } from './look.ts';
import { materialSecondsMax, uploadMaterials } from './materials.ts';
import { createStatus } from './status.ts';
import { operationOf, valuesFor } from './values.ts';
import {
  cannotMake,
  readWorkflow,
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

  async function start(reference: string, generation: Generation): Promise<StartAnswer> {
    const workflow = workflowOf(generation);
    if (!workflow) {
      const detail = `${options.name} has no workflow for this ${generation.model}`;
      return { outcome: 'refused', tryAnother: true, reason: 'failed', detail };
    }
    const operation = operationOf(reference);
    const uploaded = await uploadMaterials(calls, generation, { ...options, operation });
    if ('outcome' in uploaded) return uploaded;
    const { names, shape } = uploaded;
    const values = valuesFor(generation, { workflow, operation, shape, uploaded: names });
    const outcome = await calls.queuePrompt(operation, fillTemplate(workflow.graph, values));
    const answer = startAnswer(outcome);
    if (answer.outcome === 'accepted' && answer.operation !== operation) givesOwnIds = true;
    return answer;
  }

  async function find(reference: string, secondsSinceStart: number): Promise<FindAnswer> {
    const operation = operationOf(reference);
    const look = await lookFor(calls, operation);
    if (look.state === 'busy') return { outcome: 'unknown', detail: 'too many look at once' };
    if (look.state === 'unclear') {
      return { outcome: 'unknown', detail: look.detail ?? 'not so fast' };
    }
    if (look.state !== 'absent') return { outcome: 'found', operation };
    if (givesOwnIds) return { outcome: 'unknown', detail: 'the server gives ids of its own' };
    return secondsSinceStart >= settleSeconds
      ? { outcome: 'absent' }
      : { outcome: 'unknown', detail: 'not on the server, but it may still appear' };
  }

  return {
    name: options.name,
    protection: 'look-up',
    cannot: (generation) => {
      const known = workflows[generation.model] ?? [];
      return cannotMake(known, generation, { makes4k });
    },
    usualSeconds: ({ duration }) => options.usualSeconds ?? guessedSeconds(duration),
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
    if ('trouble' in workflow) throw new Error(`${name}: ${settings.file} ${workflow.trouble}`);
    return workflow;
  };
  return Object.fromEntries(
    Object.entries(workflows).map(([model, list]) => [model, list.map(read)]),
  );
}

const startAnswer = (outcome: UpstreamOutcome): StartAnswer =>
  startAnswerOf(outcome, (answer) =>
    answer.status === 200
      ? acceptedAs(asOperation(asRecord(answer.json)?.prompt_id), answer)
      : startAnswerFor(answer),
  );
