/** Settings of a ComfyUI provider in the configuration file. Reads the workflow files. */
import { ModelId } from '@vidgen/contract/model-name.ts';
import { z } from 'zod';
import { TunnelUrl, tunnelUrlRule } from '../fleet/tunnel-provider.ts';
import { Credentials, httpUrl, sharedSettings } from '../settings.ts';
import { readWorkflow, WorkflowSettings } from './workflow.ts';

const CheckedWorkflow = WorkflowSettings.superRefine((settings, context) => {
  const read = readWorkflow(settings);
  if ('problem' in read) {
    context.addIssue({
      code: 'custom',
      path: [settings.graph ? 'graph' : 'file'],
      message: read.problem,
    });
  }
});

export const ComfyUiSettings = z.strictObject({
  kind: z.literal('comfyui'),
  ...sharedSettings,
  baseUrl: z.union([httpUrl, TunnelUrl], tunnelUrlRule),
  /** For a proxy that requires a bearer token; ComfyUI itself requires none. */
  apiKey: Credentials.optional(),
  /** A task runs in the first workflow that takes exactly its files. */
  workflows: z.record(ModelId, z.array(CheckedWorkflow).min(1)),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  /** How long after a start with a lost response its prompt may still appear. */
  settleSeconds: z.number().positive().optional(),
});
