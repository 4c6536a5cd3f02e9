/** Returns how notices and mail leave the installation. */
import { endpoint } from '../http/endpoint.ts';
import { noticeSettingsResponses, noticeSettingsView } from './notice-settings-view.ts';

export const getNoticeSettings = endpoint({
  operationId: 'getNoticeSettings',
  method: 'GET',
  path: '/admin/notice-settings',
  summary: 'Get notice settings',
  auth: 'admin',
  responses: noticeSettingsResponses,
  handler: async (services) => ({ body: await noticeSettingsView(services) }),
});
