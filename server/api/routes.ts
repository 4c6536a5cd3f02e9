/** Every endpoint of the service, in the order of the OpenAPI document. */
import { accountSettingEndpoints } from './accounts/account-settings.ts';
import { accountEndpoints } from './accounts/accounts.ts';
import { exportAccount } from './accounts/archive.ts';
import { keyEndpoints } from './accounts/keys.ts';
import { signingKeyEndpoints } from './credentials/signing-keys.ts';
import { verify } from './credentials/verify.ts';
import { creditEndpoints } from './credits/credits.ts';
import { redemptionCodeEndpoints } from './credits/redemption-codes.ts';
import { statementEndpoints } from './credits/statement.ts';
import { stripeEvents } from './credits/stripe-events.ts';
import { topUpEndpoints } from './credits/top-ups.ts';
import { usageEndpoints } from './credits/usage.ts';
import { mcpEndpoints } from './dialects/mcp/mcp-endpoint.ts';
import { modelArkEndpoints } from './dialects/modelark/tasks.ts';
import { createVideoEndpoints } from './dialects/openai/create-video.ts';
import { videoEndpoints } from './dialects/openai/videos.ts';
import { openRouterAccountEndpoints } from './dialects/openrouter/account.ts';
import { openRouterVideoEndpoints } from './dialects/openrouter/videos.ts';
import { predictionEndpoints } from './dialects/replicate/predictions.ts';
import type { Endpoint } from './http/endpoint-definition.ts';
import type { Metrics } from './http/metrics.ts';
import { auditLogEndpoints } from './installation/audit-log.ts';
import { noticeSettingEndpoints } from './installation/notice-settings.ts';
import { overviewEndpoints } from './installation/overview.ts';
import { invariantEndpoints, systemEndpoints } from './installation/system.ts';
import { marginEndpoints } from './margin/margin.ts';
import { rehearsalEndpoints } from './margin/rehearsal.ts';
import { vendorBillEndpoints } from './margin/vendor-bills.ts';
import { clientFileEndpoints } from './pages/client-files.ts';
import { dashboardEndpoints } from './pages/dashboard-page.ts';
import { docsEndpoints, getOpenApi } from './pages/docs-page.ts';
import { fileEndpoints } from './pages/get-result.ts';
import { guideEndpoints } from './pages/guides.ts';
import { getMetrics, healthEndpoints } from './pages/health.ts';
import { siteAsset } from './pages/site-assets.ts';
import { verifyPageEndpoint } from './pages/verify-page.ts';
import { cliLoginEndpoints } from './people/cli-logins.ts';
import { invitationEndpoints } from './people/invitations.ts';
import { linkEndpoints } from './people/links.ts';
import { memberEndpoints } from './people/members.ts';
import { noticeEndpoints } from './people/notices.ts';
import { openIdEndpoints } from './people/openid.ts';
import { openIdCallback } from './people/openid-callback.ts';
import { personEndpoints } from './people/people.ts';
import { secondFactorEndpoints } from './people/second-factor.ts';
import { enterCode } from './people/second-step.ts';
import { sessionEndpoints } from './people/sessions.ts';
import { signInEndpoints } from './people/sign-in.ts';
import { modelEndpoints } from './providers/models.ts';
import { presetEndpoints } from './providers/presets.ts';
import { callbackEndpoints } from './providers/provider-callbacks.ts';
import { providerTestEndpoints } from './providers/provider-tests.ts';
import { providerEndpoints, routeEndpoints } from './providers/providers.ts';
import { workerEndpoints } from './providers/workers.ts';
import { deliveryEndpoints, webhookToolEndpoints } from './tasks/deliveries.ts';
import { playgroundEndpoints } from './tasks/playground.ts';
import { getMaterialImage } from './tasks/task-files.ts';
import { taskListEndpoints } from './tasks/task-lists.ts';
import * as adminTasks from './tasks/tasks.ts';
import * as account from './v1/account.ts';
import { createFile } from './v1/create-file.ts';
import { generationEndpoints } from './v1/create-generation.ts';
import { taskEndpoints } from './v1/tasks.ts';

const videoApi = [generationEndpoints, taskEndpoints, account.accountEndpoints, [createFile]];
const dialects = [modelArkEndpoints, mcpEndpoints, createVideoEndpoints, videoEndpoints];
const openRouter = [openRouterVideoEndpoints, openRouterAccountEndpoints];
const vendors = [...openRouter, predictionEndpoints];
const customers = [accountEndpoints, creditEndpoints, keyEndpoints, accountSettingEndpoints];
const work = [taskListEndpoints, adminTasks.taskEndpoints, deliveryEndpoints, invariantEndpoints];
const providers = [
  ...[providerEndpoints, presetEndpoints, providerTestEndpoints],
  ...[routeEndpoints, modelEndpoints, workerEndpoints],
];
const margin = [marginEndpoints, vendorBillEndpoints, rehearsalEndpoints];
const credits = [
  usageEndpoints,
  statementEndpoints,
  topUpEndpoints,
  redemptionCodeEndpoints,
  webhookToolEndpoints,
];
const installation = [
  auditLogEndpoints,
  overviewEndpoints,
  systemEndpoints,
  noticeSettingEndpoints,
  signingKeyEndpoints,
];
const signIn = [signInEndpoints, [enterCode], openIdEndpoints, [openIdCallback], sessionEndpoints];
const security = [secondFactorEndpoints, linkEndpoints, cliLoginEndpoints];
const people = [memberEndpoints, invitationEndpoints, personEndpoints, noticeEndpoints];
const pages = [
  [verify, verifyPageEndpoint],
  docsEndpoints,
  [siteAsset],
  guideEndpoints,
  clientFileEndpoints,
  dashboardEndpoints,
];

export function createRoutes({ metrics }: { metrics: Metrics }): readonly Endpoint[] {
  const routes: readonly Endpoint[] = [
    ...[...videoApi, ...dialects, ...vendors, ...customers, [exportAccount], ...work].flat(),
    ...[
      ...providers,
      playgroundEndpoints,
      [getMaterialImage],
      ...credits,
      ...margin,
      ...installation,
    ].flat(),
    ...[...signIn, ...security, ...people, fileEndpoints, callbackEndpoints].flat(),
    ...[stripeEvents, ...healthEndpoints, getMetrics(metrics), getOpenApi(() => routes)],
    ...pages.flat(),
  ];
  return routes;
}
