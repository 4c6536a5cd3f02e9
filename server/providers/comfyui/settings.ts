/**
 * ComfyUI in the configuration file. The workflows are read here, so that a start names what is
 * wrong.
 */
import { modelNames } from '@vidgen/contract/models.ts';
import { z } from 'zod';
import { Credentials, sharedSettings } from '../settings.ts';
import { readWorkflow } from './workflow.ts';

const WorkflowSettings = z
  .strictObject({
    /** Exported for the API; from where the service is started, or absolute. */
    file: z.string().min(1),
    /** The node whose video is the result, where several have one. */
    outputNode: z.string().min(1).optional(),
    /** Frames a second that it makes. */
    fps: z.number().positive().optional(),
    /** It makes lengths of so many frames and one: 4 unless you say otherwise. */
    frameStep: z.int().positive().optional(),
    /** Sides are multiples of this: 16 unless you say otherwise. */
    block: z.int().positive().optional(),
  })
  .superRefine((settings, context) => {
    const read = readWorkflow(settings);
    if ('problem' in read) {
      context.addIssue({ code: 'custom', path: ['file'], message: read.problem });
    }
  });

export const ComfyUiSettings = z.strictObject({
  kind: z.literal('comfyui'),
  ...sharedSettings,
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  /** For a proxy that asks for a bearer key; ComfyUI itself asks for none. */
  apiKey: Credentials.optional(),
  /** A task is given to the first that takes exactly its files. */
  workflows: z.partialRecord(z.enum(modelNames), z.array(WorkflowSettings).min(1)),
  /** What a task usually takes; one with less time left is not sent. */
  usualSeconds: z.number().positive().optional(),
  /** Looks at tasks a second, by each process. */
  getPerSecond: z.number().positive().optional(),
  /** How long after a submit whose answer was lost its prompt may still appear. */
  settleSeconds: z.number().positive().optional(),
});
