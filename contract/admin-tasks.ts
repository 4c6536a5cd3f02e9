/** Admin API: tasks of an account, refunds that need manual handling, and webhook deliveries. */
import { z } from 'zod';
import { LedgerEntry } from './admin-accounts.ts';
import { ContentCredentials } from './content-credentials.ts';
import { costSources } from './costs.ts';
import { CreateGenerationRequest } from './create-generation.ts';
import { TaskFailureView } from './failure-messages.ts';
import {
  accountQuery,
  countedListOf,
  createdQuery,
  filePageQuery,
  idParams,
  listOf,
  modeQuery,
  nullableText,
  pageQuery,
  searchQuery,
  sortQuery,
  timestampField,
  unixSeconds,
} from './list.ts';
import { ModelId, ResolutionName } from './model-name.ts';
import { generationTypes, keyModes } from './models.ts';
import { storyShotsMax } from './story.ts';
import { billingStatuses, failedReasons, TaskStatusResponse, taskStatuses } from './task-status.ts';
import { requiredText } from './text.ts';

/** Lists show the beginning of a prompt; the task itself has all of it. */
export const promptPreviewCharacters = 200;

const refundOutcomes = ['refunded', 'written_off'] as const;

/** All fields of the contract's task, and what members of its account see in addition. */
export const AdminTask = z
  .object({
    ...TaskStatusResponse.shape,
    account_id: z.string(),
    key_id: z.string().describe('The key it was created with.'),
    mode: z.enum(keyModes),
    preview: z
      .boolean()
      .describe('Whether the built-in preview makes or made it, and no provider.'),
    prompt: z.string().describe('Its first 200 characters.'),
    generation_type: z.enum(generationTypes),
    resolution: ResolutionName,
    duration: z.int().min(-1).max(30).describe('Seconds; -1 is video editing.'),
    callback_url: z.string().nullable(),
    submitted_at: unixSeconds('When a provider was first asked.').nullable(),
    finished_at: unixSeconds('When it completed or failed.').nullable(),
    progress: z.number().min(0).max(1).nullable().describe('0 to 1, if the provider reports it.'),
    failure: TaskFailureView.nullable().describe(
      'Why it failed, in words for its owner; else null.',
    ),
    poster_url: nullableText(
      'A small JPEG of the video, signed like the result and gone with it; else null.',
    ),
    refund_outcome: z
      .enum(refundOutcomes)
      .nullable()
      .describe('How a failed refund was resolved; null until then.'),
  })
  .meta({ id: 'AdminTask' });
export type AdminTask = z.infer<typeof AdminTask>;

/** `exhausted`: all retries were used; a replay starts the schedule again. */
const deliveryStatuses = ['pending', 'delivered', 'exhausted'] as const;

export const DeliveryParams = idParams('The delivery: what calls carry as `webhook-id`.');

export const DeliveryAttempt = z
  .object({
    number: z.int().min(1),
    round: z.int().min(1).describe('1, and one more with each replay.'),
    started_at: unixSeconds('Unix time in whole seconds.'),
    duration_ms: z.int().min(0),
    answer_status: z.int().nullable().describe('Status of the response.'),
    answer_body: z.string().nullable().describe('The beginning of the response body.'),
    error: z.string().nullable().describe('Why there was no response.'),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe('As sent, to viewers without the signature; null for attempts of older releases.'),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const Delivery = z
  .object({
    id: z.string().describe('Sent as `webhook-id`, the same over retries and replays.'),
    account_id: z.string(),
    task_id: z.string(),
    mode: z.enum(keyModes),
    url: z.string(),
    body: z.string().describe('What is sent, the same over retries and replays.'),
    status: z.enum(deliveryStatuses),
    attempts_made: z.int().min(0).describe('Attempts so far, replays included.'),
    created_at: unixSeconds('Unix time in whole seconds.'),
    delivered_at: unixSeconds('When a receiver first answered 2xx.').nullable(),
    next_attempt_at: unixSeconds('When the next call is due.').nullable(),
    attempts: z.array(DeliveryAttempt).describe('The newest 20, newest first.'),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof Delivery>;

const adminOnly = 'Only operators are shown it; null for everybody else';

const TaskAttempt = z.object({
  number: z.int().min(1),
  provider: z.string().nullable().describe(`${adminOnly}.`),
  operation: z.string().nullable().describe(`The provider’s handle, once known. ${adminOnly}.`),
  outcome: z.string().nullable().describe('Null while it is open.'),
  detail: z.string().nullable().describe(`The provider’s own words. ${adminOnly}.`),
  loss: z.string().nullable().describe(`What it may cost that nobody pays. ${adminOnly}.`),
  cost: z
    .object({
      amount: z.number().nullable().describe('Null where it is unknown.'),
      currency: z.string(),
      source: z.enum(costSources).nullable(),
    })
    .nullable()
    .describe(`What the provider bills for it, once it has ended. ${adminOnly}.`),
  output_seconds: z
    .number()
    .nullable()
    .describe(
      'Length of the video, as the file or the provider says. The charge is what was reserved.',
    ),
  started_at: unixSeconds('Unix time in whole seconds.'),
  accepted_at: unixSeconds('When the provider had it for certain.').nullable(),
  ended_at: unixSeconds('When it ended, whatever came of it.').nullable(),
});

/** One task with its full history, for troubleshooting. */
export const AdminTaskDetail = AdminTask.extend({
  revenue: z
    .number()
    .nullable()
    .describe(`What its charged credits earned; null without \`creditValue\`. ${adminOnly}.`),
  request: CreateGenerationRequest.describe(
    'The request with every default filled in: sent to create, it asks for the same again.',
  ),
  ignored: z
    .array(z.string())
    .describe('Fields that were sent and that its mode ignores, as `vidgen-ignored` has them.'),
  key: z
    .object({ id: z.string(), name: z.string(), last_four: z.string() })
    .describe('The key it was created with.'),
  created_by: nullableText('Who created it in the playground; null for API keys.'),
  request_id: z.string().nullable().describe('The `x-request-id` of the response to its create.'),
  deadline_at: unixSeconds('When it fails as `timed_out` if it is not final by then.'),
  attempts: z.array(TaskAttempt).describe('In their order.'),
  entries: z.array(LedgerEntry).describe('Its ledger entries, newest first.'),
  delivery: Delivery.nullable().describe('Of its webhook; null if there is none yet.'),
  credentials: ContentCredentials.nullable().describe(
    'The content credentials of its video; null without one, and of videos that were stored ' +
      'before vidgen signed them.',
  ),
}).meta({ id: 'AdminTaskDetail' });
export type AdminTaskDetail = z.infer<typeof AdminTaskDetail>;

export const StoryResponse = z
  .object({
    shots: z
      .array(
        z.object({
          id: z.string(),
          task: AdminTask.nullable().describe('Null if it was deleted, or is of another account.'),
        }),
      )
      .min(1)
      .max(storyShotsMax)
      .describe('In order. A task that continues none and is not continued is the only one.'),
  })
  .meta({ id: 'Story' });
export type StoryResponse = z.infer<typeof StoryResponse>;

export const ListAccountTasksQuery = z.strictObject({
  ...searchQuery('Words of the prompt, the ID of the task, or the `x-request-id` of its create.'),
  ...modeQuery,
  status: z.enum(taskStatuses).optional().describe('Only tasks with this status.'),
  billing_status: z
    .enum(billingStatuses)
    .optional()
    .describe('Only tasks with this billing status.'),
  refund: z
    .enum(['waiting'])
    .optional()
    .describe('`waiting`: only tasks whose failed refund is not resolved yet.'),
  failed_reason: z
    .enum(failedReasons)
    .optional()
    .describe('Only tasks that failed for this reason.'),
  model: ModelId.optional().describe('Only tasks of this model.'),
  key_id: z.string().optional().describe('Only tasks created with this key.'),
  ...createdQuery,
  ...sortQuery(['created']),
  ...filePageQuery,
});
export type ListAccountTasksQuery = z.infer<typeof ListAccountTasksQuery>;
export const ListAllTasksQuery = ListAccountTasksQuery.extend({
  ...accountQuery('Only tasks of this account.'),
  provider: z.string().max(200).optional().describe('Only tasks that were sent to this provider.'),
});
export const ListAccountTasksResponse = countedListOf(AdminTask).meta({ id: 'AdminTaskList' });
export type ListAccountTasksResponse = z.infer<typeof ListAccountTasksResponse>;

export const SettleRefundRequest = z
  .strictObject({
    outcome: z
      .enum(refundOutcomes)
      .describe(
        '`refunded` returns the suspended credits and makes the task `refunded`; `written_off` ' +
          'leaves it `refund_failed` and takes it off the queue.',
      ),
    note: requiredText({ charactersMax: 1000 }).describe('Why: kept in the audit log.'),
  })
  .meta({ id: 'SettleRefundRequest' });

export const ListDeliveriesQuery = z.strictObject({
  ...modeQuery,
  status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
  task_id: z.string().optional().describe('Only the delivery of this task.'),
  ...filePageQuery,
});
export const ListAttemptsQuery = z.strictObject({ ...pageQuery });
export const ListAttemptsResponse = listOf(DeliveryAttempt).meta({ id: 'DeliveryAttemptList' });
const ListedDelivery = Delivery.extend({
  prompt: nullableText('Of the task, its first 200 characters; null if it is deleted.'),
}).meta({ id: 'ListedDelivery' });
export type ListedDelivery = z.infer<typeof ListedDelivery>;
export const ListDeliveriesResponse = countedListOf(ListedDelivery).meta({ id: 'DeliveryList' });

export const TestWebhookRequest = z
  .strictObject({ url: z.string().min(1).max(2048).describe('Where to call; judged as always.') })
  .meta({ id: 'TestCallRequest' });

export const TestWebhookResponse = z
  .object({
    id: z.string().describe('Sent as `webhook-id`.'),
    body: z.string().describe('What was sent: a completed task that does not exist.'),
    answer_status: z.int().nullable().describe('Status of the response.'),
    answer_body: z.string().nullable().describe('The beginning of the response body.'),
    error: z.string().nullable().describe('Why there was no response.'),
    duration_ms: z.int().min(0),
    request_headers: z.record(z.string(), z.string()).describe('As sent.'),
  })
  .meta({ id: 'TestWebhook' });
export type TestWebhookResponse = z.infer<typeof TestWebhookResponse>;

export const ReplayFailedRequest = z
  .strictObject({
    since: timestampField().describe('Unix seconds or ISO 8601: deliveries created then or later.'),
    mode: z.enum(keyModes).optional().describe('Only of live or of test tasks.'),
  })
  .meta({ id: 'ReplayFailedRequest' });
export const ReplayFailedResponse = z
  .object({ replayed: z.int().min(0).describe('Deliveries that are being made again.') })
  .meta({ id: 'ReplayFailed' });
export type ReplayFailedResponse = z.infer<typeof ReplayFailedResponse>;
