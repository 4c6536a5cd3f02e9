/** Admin API: the invariant checks, the audit log, and health. */
import { z } from 'zod';
import { accountQuery, countedListOf, createdQuery, filePageQuery } from './list.ts';

export const AuditQuery = z.strictObject({
  scope: z
    .enum(['all', 'new'])
    .default('all')
    .describe(
      '`new` skips ledger entries and final tasks that an earlier sound audit has covered.',
    ),
});

export const AuditResponse = z
  .object({
    ok: z.boolean().describe('Whether all checks hold.'),
    checks: z.array(
      z.object({
        name: z.string().describe('The invariant.'),
        ok: z.boolean(),
        checked: z.int().min(0).describe('How many rows were checked.'),
        offenders: z.array(z.string()).describe('At most 20 of those that break it.'),
      }),
    ),
  })
  .meta({ id: 'Audit' });
export type AuditResponse = z.infer<typeof AuditResponse>;

/** Every action that is recorded; the dashboard has a label for each. */
export type AuditAction =
  | 'account.close'
  | 'account.create'
  | 'account.erase'
  | 'account.erased'
  | 'account.export'
  | 'account.rename'
  | 'account.resume'
  | 'account.suspend'
  | 'administrator.invite'
  | 'administrator.join'
  | 'balance_alert.set'
  | 'bill.apply'
  | 'checkout.open'
  | 'code.revoke'
  | 'codes.create'
  | 'credits.deduct'
  | 'credits.grant'
  | 'credits.redeem'
  | 'deliveries.replay'
  | 'delivery.replay'
  | 'invitation.revoke'
  | 'key.create'
  | 'key.revoke'
  | 'key.spending_cap'
  | 'limits.set'
  | 'login.confirm'
  | 'mail.test'
  | 'member.change'
  | 'member.invite'
  | 'member.join'
  | 'member.remove'
  | 'model.change'
  | 'model.declare'
  | 'model.remove'
  | 'notice_webhook.set'
  | 'payment.booked'
  | 'payment.refused'
  | 'payment.returned'
  | 'payment.unbooked'
  | 'prices.set'
  | 'person.change_name'
  | 'person.change_password'
  | 'person.close'
  | 'person.create'
  | 'person.disable_second_factor'
  | 'person.enable_second_factor'
  | 'person.forgot_password'
  | 'person.link_identity'
  | 'person.password_link'
  | 'person.replace_recovery_codes'
  | 'person.reset_password'
  | 'person.reset_second_factor'
  | 'person.unlink_identity'
  | 'person.use_recovery_code'
  | 'provider.change'
  | 'provider.connect'
  | 'provider.remove'
  | 'provider.replace_key'
  | 'provider.test'
  | 'refund.settle'
  | 'retention.set'
  | 'route.set'
  | 'signing_key.rotate'
  | 'task.cancel'
  | 'task.delete'
  | 'webhook_secret.rotate'
  | 'webhook_url.set'
  | 'worker.change'
  | 'worker.create'
  | 'worker.revoke';

export const AuditLogEntry = z
  .object({
    id: z.string(),
    created_at: z.int().min(0).describe('Unix time in whole seconds.'),
    actor: z.string().describe('Who did it.'),
    action: z.string().describe('What was done, such as `task.cancel`.'),
    subject: z.string().describe('The id of what it was done to.'),
    detail: z.record(z.string(), z.unknown()).describe('Details, without secrets.'),
    person: z
      .object({ name: z.string(), email: z.string() })
      .nullable()
      .describe('The person it was done to, even if deactivated; null if it is about no person.'),
  })
  .meta({ id: 'AuditLogEntry' });
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

export const ListAuditLogQuery = z.strictObject({
  subject: z.string().optional().describe('Only what was done to this account, key, task, …'),
  actor: z.string().optional().describe('Only what this person did: the email, or `admin token`.'),
  action: z
    .string()
    .optional()
    .describe('Only this action, such as `task.cancel`, or all with a prefix: `task.`.'),
  ...accountQuery('Only what was done to this account, its keys and its tasks.'),
  ...createdQuery,
  ...filePageQuery,
});
export const ListAuditLogResponse = countedListOf(AuditLogEntry).meta({ id: 'AuditLogEntryList' });
export type ListAuditLogResponse = z.infer<typeof ListAuditLogResponse>;

/** `GET /healthz` and `GET /readyz`: 200 when `ok`, 503 otherwise. */
export const HealthResponse = z
  .object({
    ok: z.boolean(),
    checks: z.record(z.string(), z.string()).describe('Each check: `ok`, or what is wrong.'),
  })
  .meta({ id: 'Health' });
export type HealthResponse = z.infer<typeof HealthResponse>;
