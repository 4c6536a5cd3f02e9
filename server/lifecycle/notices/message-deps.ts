/** What sending messages works with, put together once at the start. */

import type { OpenIdSettings } from '../../config/env-reader.ts';
import type { Sealer } from '../../crypto/seal.ts';
import type { Database } from '../../database/database.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Mailer } from '../../messages/smtp.ts';
import type { Log } from '../../telemetry/log.ts';

export type MessageDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly post: Egress['post'];
  /** Null without SMTP: then no mail is written to the outbox. */
  readonly mailer: Mailer | null;
  readonly sealer: Sealer;
  readonly publicUrl: () => string;
  /** Its people get no links for passwords. Null if it is not configured in this process. */
  readonly openid: Pick<OpenIdSettings, 'issuer' | 'name'> | null;
  /** Of the environment; it overrides the one that was set in the dashboard. */
  readonly noticeWebhookUrl: string | null;
  readonly webhookRetryDelaysSeconds: readonly number[];
};
