/**
 * Every endpoint there is: what it promises (its description), which window counts it, who handles
 * it. Key and permission are part of the description; the steps run in the order of `steps.ts`.
 */

import { keyModes } from '@vidgen/contract/models.ts';
import { version } from '../version.ts';
import {
  deleteKey,
  getAccounts,
  getKeys,
  getLedger,
  getOneAccount,
  postAccount,
  postClose,
  postCredits,
  postKey,
  postRotateSecret,
} from './admin/accounts.ts';
import { exportAccountTasks, exportAllTasks, exportLedger, exportUsage } from './admin/exports.ts';
import { getAdminTask } from './admin/get-any-task.ts';
import { getMaterialImage } from './admin/get-material-image.ts';
import { getProviders } from './admin/list-providers.ts';
import { postPlaygroundEstimate, postPlaygroundGeneration } from './admin/playground.ts';
import { getSummary, getSystem } from './admin/system.ts';
import {
  getAccountTasks,
  getAllTasks,
  getAudit,
  getAuditLog,
  getDeliveries,
  postAdminCancel,
  postReplay,
  postSettleRefund,
} from './admin/tasks.ts';
import {
  deleteCode,
  getCodes,
  getTopUps,
  postCheckout,
  postCodes,
  postRedemption,
} from './admin/top-ups.ts';
import { getUpload, postUpload } from './admin/uploads.ts';
import { getUsage } from './admin/usage.ts';
import { postReplayFailed, postTestWebhook } from './admin/webhook-tools.ts';
import { postProviderCallback, postSharedCallback } from './callbacks/provider-callback.ts';
import { postStripeEvent } from './callbacks/stripe-events.ts';
import { descriptions as d } from './descriptions/descriptions.ts';
import type { RouteDescription } from './descriptions/route-description.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { ApiRequest, ApiServices, Handler } from './http/handler.ts';
import { type Metrics, metricsEndpoint } from './http/metrics.ts';
import { openApiDocument } from './http/openapi.ts';
import { getAiSdkProvider, getCommandLine } from './pages/client-files.ts';
import { dashboardAsset, dashboardPage } from './pages/dashboard-page.ts';
import { docsPage, docsScript } from './pages/docs-page.ts';
import { getGuide, getGuides, getLlmsText } from './pages/guides.ts';
import { healthz, readyz } from './pages/health.ts';
import { getResult } from './pages/results.ts';
import { changeMember } from './people/change-member.ts';
import { changeName } from './people/change-name.ts';
import { changePassword } from './people/change-password.ts';
import { confirmSession } from './people/confirm-session.ts';
import { createPasswordLink } from './people/create-password-link.ts';
import { deactivatePerson } from './people/deactivate-person.ts';
import { endSession } from './people/end-session.ts';
import { getSession } from './people/get-session.ts';
import { inspectLink } from './people/inspect-link.ts';
import { inviteAdministrator } from './people/invite-administrator.ts';
import { inviteMember } from './people/invite-member.ts';
import { listInvitations } from './people/list-invitations.ts';
import { listMembers } from './people/list-members.ts';
import { listPeople } from './people/list-people.ts';
import { listSessions } from './people/list-sessions.ts';
import { removeMember } from './people/remove-member.ts';
import { revokeInvitation } from './people/revoke-invitation.ts';
import { signIn } from './people/sign-in.ts';
import { signOut } from './people/sign-out.ts';
import { useLink } from './people/use-link.ts';
import { cancelTask } from './v1/cancel-task.ts';
import { createGeneration } from './v1/create-generation.ts';
import { estimateGeneration } from './v1/estimate-generation.ts';
import { getCredits } from './v1/get-credits.ts';
import { getTask } from './v1/get-task.ts';
import { listModels, servedModels } from './v1/list-models.ts';
import { listTasks } from './v1/list-tasks.ts';

/** Transitional: endpoints not yet defined in one file. */
type LegacyRoute = RouteDescription &
  Partial<Pick<Endpoint, 'allowsHead' | 'rawBody' | 'streamBody' | 'optionalSession'>> & {
    readonly handler: Handler;
  };

export function createRoutes({ metrics }: { metrics: Metrics }): readonly Endpoint[] {
  const routes: Endpoint[] = [
    createGeneration,
    getTask,
    estimateGeneration,
    listTasks,
    cancelTask,
    listModels,
    getCredits,

    { ...d.createAccount, handler: postAccount },
    { ...d.listAccounts, handler: getAccounts },
    { ...d.getAccount, handler: getOneAccount },
    { ...d.grantCredits, handler: postCredits },
    { ...d.listLedger, handler: getLedger },
    { ...d.createApiKey, handler: postKey },
    { ...d.listKeys, handler: getKeys },
    { ...d.revokeKey, handler: deleteKey },
    { ...d.rotateWebhookSecret, handler: postRotateSecret },
    { ...d.closeAccount, handler: postClose },
    { ...d.listAccountTasks, handler: getAccountTasks },
    { ...d.listAllTasks, handler: getAllTasks },
    { ...d.getAnyTask, handler: getAdminTask },
    { ...d.cancelAnyTask, handler: postAdminCancel },
    { ...d.settleRefund, handler: postSettleRefund },
    { ...d.listDeliveries, handler: getDeliveries },
    { ...d.replayDelivery, handler: postReplay },
    { ...d.checkInvariants, handler: getAudit },
    { ...d.listProviders, handler: getProviders },
    { ...d.listAuditLog, handler: getAuditLog },
    ...playgroundRoutes,
    ...topUpRoutes,
    signIn,
    getSession,
    signOut,
    confirmSession,
    changePassword,
    changeName,
    listSessions,
    endSession,
    inspectLink,
    useLink,
    listMembers,
    changeMember,
    removeMember,
    listInvitations,
    inviteMember,
    revokeInvitation,
    listPeople,
    inviteAdministrator,
    createPasswordLink,
    deactivatePerson,

    { ...d.getResult, allowsHead: true, handler: getResult },
    { ...d.getUpload, allowsHead: true, handler: getUpload },
    { ...d.providerCallback, rawBody: true, handler: postProviderCallback },
    { ...d.sharedCallback, rawBody: true, handler: postSharedCallback },
    { ...d.healthz, handler: healthz },
    { ...d.readyz, handler: readyz },
    { ...d.metrics, authorizesItself: true, handler: metricsEndpoint(metrics) },
    { ...d.openApi, handler: openApiEndpoint(() => routes) },
    {
      ...d.docs,
      handler: async ({ publicUrl }: ApiServices) => docsPage({ publicUrl: publicUrl() }),
    },
    {
      ...d.docsScript,
      handler: async (_services: ApiServices, { headers }: ApiRequest) =>
        await docsScript({ acceptEncoding: String(headers['accept-encoding'] ?? '') }),
    },
    ...guideRoutes,
    { ...d.startPage, allowsHead: true, handler: dashboardPage },
    { ...d.dashboardAsset, allowsHead: true, handler: dashboardAsset },
    { ...d.dashboard, allowsHead: true, handler: dashboardPage },
    { ...d.dashboardPage, allowsHead: true, handler: dashboardPage },
  ] as unknown as Endpoint[];
  return routes;
}

/** What people make in the dashboard, and what they see of what they used. */
const playgroundRoutes: readonly LegacyRoute[] = [
  {
    ...d.listPlaygroundModels,
    handler: async (services) =>
      servedModels(services, (model) =>
        keyModes.some(
          (mode) => services.lifecycle.providers.routeFor(model, { mode, demo: false }).length > 0,
        ),
      ),
  },
  { ...d.createInPlayground, handler: postPlaygroundGeneration },
  { ...d.estimateInPlayground, handler: postPlaygroundEstimate },
  { ...d.uploadFile, rawBody: true, streamBody: true, handler: postUpload },
  { ...d.getMaterialImage, handler: getMaterialImage },
  { ...d.getUsage, handler: getUsage },
  { ...d.exportAccountTasks, handler: exportAccountTasks },
  { ...d.exportAllTasks, handler: exportAllTasks },
  { ...d.exportLedger, handler: exportLedger },
  { ...d.exportUsage, handler: exportUsage },
];

/** What people add to their credits, what helps them with webhooks, and the operator's figures. */
const topUpRoutes: readonly LegacyRoute[] = [
  { ...d.getTopUps, handler: getTopUps },
  { ...d.redeemCode, handler: postRedemption },
  { ...d.openCheckout, handler: postCheckout },
  { ...d.createCodes, handler: postCodes },
  { ...d.listCodes, handler: getCodes },
  { ...d.revokeCode, handler: deleteCode },
  { ...d.stripeEvents, rawBody: true, handler: postStripeEvent },
  { ...d.sendTestWebhook, handler: postTestWebhook },
  { ...d.replayFailed, handler: postReplayFailed },
  { ...d.getSummary, handler: getSummary },
  { ...d.getSystem, handler: getSystem },
];

const guideRoutes: readonly LegacyRoute[] = [
  { ...d.guides, allowsHead: true, handler: getGuides },
  { ...d.guide, allowsHead: true, handler: getGuide },
  { ...d.llmsText, allowsHead: true, handler: getLlmsText },
  { ...d.commandLine, allowsHead: true, handler: getCommandLine },
  { ...d.aiSdkProvider, allowsHead: true, handler: getAiSdkProvider },
];

/** Made once: it takes some 50 ms, anyone may ask, and it does not change while we run. */
function openApiEndpoint(routes: () => readonly Endpoint[]): Handler {
  let text: string | undefined;
  return async ({ publicUrl }) => {
    const options = { routes: routes(), publicUrl: publicUrl(), version };
    text ??= JSON.stringify(openApiDocument(options));
    return { text, headers: { 'content-type': 'application/json; charset=utf-8' } };
  };
}
