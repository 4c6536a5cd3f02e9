/** Sets the operator's webhook for notices. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { SetNoticeSettingsRequest } from '@vidgen/contract/notices.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { setNoticeWebhookUrl } from '../../accounts/installation-settings.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import {
  noticeSettings,
  noticeSettingsResponses,
  noticeSettingsView,
} from './notice-settings-view.ts';

export const setNoticeSettings = endpoint({
  parsesItself: true,
  operationId: 'setNoticeSettings',
  method: 'POST',
  path: '/admin/notice-settings',
  summary: 'Set the webhook for notices',
  description:
    'Every notice is sent there, signed like the webhooks of tasks, with the same retries. ' +
    '`VIDGEN_NOTICE_WEBHOOK_URL` overrides it.',
  auth: 'admin',
  requiresConfirmation: true,
  body: SetNoticeSettingsRequest,
  requestExamples: {
    some: ['A webhook', { webhook_url: noticeSettings.webhook_url }],
    none: ['None', { webhook_url: null }],
  },
  responses: noticeSettingsResponses,
  errors: { invalid_request: 'webhook_url must be an https URL' },
  async handler(services, { body, actor, transaction }) {
    const { webhook_url: url } = parseBody(SetNoticeSettingsRequest, body);
    if (services.messages.noticeWebhookUrl !== null) {
      const rule = 'is set by VIDGEN_NOTICE_WEBHOOK_URL; change it there';
      throw new ApiError('invalid_request', `webhook_url ${rule}`);
    }
    const checked = url === null ? null : services.lifecycle.egress.check(url, 'callback');
    if (checked && !checked.ok) {
      throw new ApiError('invalid_request', `webhook_url ${checked.rule}`);
    }
    await transaction(async (tx) => {
      await setNoticeWebhookUrl(tx, url);
      const action = 'notice_webhook.set';
      await recordAudit(tx, { actor, action, subject: 'installation', detail: { url } });
    });
    return { body: await noticeSettingsView(services) };
  },
});
