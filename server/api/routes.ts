/**
 * Every endpoint there is: what it promises (its description), which window counts it, who handles
 * it. Key and permission are part of the description; the steps run in the order of `steps.ts`.
 */
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
} from './admin-accounts.ts';
import { getProviders } from './admin-providers.ts';
import { getSummary, getSystem } from './admin-system.ts';
import {
  getAccountTasks,
  getAllTasks,
  getAudit,
  getAuditLog,
  getDeliveries,
  postAdminCancel,
  postReplay,
  postSettleRefund,
} from './admin-tasks.ts';
import { cancelTask } from './cancel-task.ts';
import { getAiSdkProvider, getCommandLine } from './client-files.ts';
import { createGeneration, estimate } from './create-generation.ts';
import { dashboardAsset, dashboardPage } from './dashboard-page.ts';
import { descriptions as d } from './descriptions/descriptions.ts';
import { docsPage, docsScript } from './docs-page.ts';
import { exportAccountTasks, exportAllTasks, exportLedger, exportUsage } from './exports.ts';
import { getCredits } from './get-credits.ts';
import { getTask } from './get-task.ts';
import { getGuide, getGuides, getLlmsText } from './guides.ts';
import { healthz, readyz } from './health.ts';
import { postLookAtLink, postUseLink } from './links.ts';
import { listModels, listModelsForPeople } from './list-models.ts';
import { listOwnTasks } from './list-tasks.ts';
import { getMaterialPicture } from './material-pictures.ts';
import {
  deleteInvitation,
  deleteMember,
  getInvitations,
  getMembers,
  postInvitation,
  postMember,
} from './members.ts';
import { type Metrics, metricsEndpoint } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { getPeople, postAdministrator, postClosePerson, postPasswordLink } from './people.ts';
import { postPlaygroundEstimate, postPlaygroundGeneration } from './playground.ts';
import { postProviderCallback, postSharedCallback } from './provider-callback.ts';
import { getResult } from './results.ts';
import type { RouteDescription } from './route-description.ts';
import type { Handle } from './service.ts';
import {
  deleteOneSession,
  deleteSession,
  getSession,
  getSessions,
  postConfirm,
  postName,
  postPassword,
  postSession,
} from './sessions.ts';
import { postStripeEvent } from './stripe-events.ts';
import { getAdminTask } from './task-detail.ts';
import {
  deleteCode,
  getCodes,
  getTopUps,
  postCheckout,
  postCodes,
  postRedemption,
} from './top-ups.ts';
import { getUpload, postUpload } from './uploads.ts';
import { getUsage } from './usage.ts';
import { postReplayFailed, postTestCall } from './webhook-tools.ts';

export type Route = RouteDescription & {
  /** Spec 8: creates have a window of their own; everything else under /v1 shares the other. */
  readonly window?: 'create' | 'status';
  /** Lets others in than its description's key says, such as callers on this machine. */
  readonly checksItself?: true;
  /** Strangers may ask; whoever is signed in is known, and pages elsewhere are refused. */
  readonly knowsSession?: true;
  /** The body as it came, of whatever type: signatures are over bytes. */
  readonly takesBytes?: true;
  /** The bytes as they come in, however many: the endpoint bounds them, and has ten minutes. */
  readonly streamsBody?: true;
  readonly answersHead?: true;
  readonly handle: Handle;
};

export function createRoutes({ metrics }: { metrics: Metrics }): readonly Route[] {
  const routes: Route[] = [
    { ...d.createGeneration, window: 'create', handle: createGeneration },
    { ...d.getTask, window: 'status', handle: getTask },

    { ...d.estimateGeneration, window: 'status', handle: estimate },
    { ...d.listTasks, window: 'status', handle: listOwnTasks },
    { ...d.cancelTask, window: 'status', handle: cancelTask },
    { ...d.listModels, window: 'status', handle: listModels },
    { ...d.getCredits, window: 'status', handle: getCredits },

    { ...d.createAccount, handle: postAccount },
    { ...d.listAccounts, handle: getAccounts },
    { ...d.getAccount, handle: getOneAccount },
    { ...d.grantCredits, handle: postCredits },
    { ...d.listLedger, handle: getLedger },
    { ...d.mintKey, handle: postKey },
    { ...d.listKeys, handle: getKeys },
    { ...d.revokeKey, handle: deleteKey },
    { ...d.rotateWebhookSecret, handle: postRotateSecret },
    { ...d.closeAccount, handle: postClose },
    { ...d.listAccountTasks, handle: getAccountTasks },
    { ...d.listAllTasks, handle: getAllTasks },
    { ...d.getAnyTask, handle: getAdminTask },
    { ...d.cancelAnyTask, handle: postAdminCancel },
    { ...d.settleRefund, handle: postSettleRefund },
    { ...d.listDeliveries, handle: getDeliveries },
    { ...d.replayDelivery, handle: postReplay },
    { ...d.auditBooks, handle: getAudit },
    { ...d.listProviders, handle: getProviders },
    { ...d.listAuditLog, handle: getAuditLog },
    ...playgroundRoutes,
    ...topUpRoutes,
    ...peopleRoutes,

    { ...d.getResult, answersHead: true, handle: getResult },
    { ...d.getUpload, answersHead: true, handle: getUpload },
    { ...d.providerCallback, takesBytes: true, handle: postProviderCallback },
    { ...d.sharedCallback, takesBytes: true, handle: postSharedCallback },
    { ...d.healthz, handle: healthz },
    { ...d.readyz, handle: readyz },
    { ...d.metrics, checksItself: true, handle: metricsEndpoint(metrics) },
    { ...d.openApi, handle: openApiEndpoint(() => routes) },
    { ...d.docs, handle: async ({ publicUrl }) => docsPage({ publicUrl: publicUrl() }) },
    {
      ...d.docsScript,
      handle: async (_service, { headers }) =>
        await docsScript({ acceptEncoding: String(headers['accept-encoding'] ?? '') }),
    },
    ...guideRoutes,
    { ...d.startPage, answersHead: true, handle: dashboardPage },
    { ...d.dashboardAsset, answersHead: true, handle: dashboardAsset },
    { ...d.dashboard, answersHead: true, handle: dashboardPage },
    { ...d.dashboardPage, answersHead: true, handle: dashboardPage },
  ];
  return routes;
}

/** What people make in the dashboard, and what they see of what they used. */
const playgroundRoutes: readonly Route[] = [
  { ...d.listPlaygroundModels, handle: listModelsForPeople },
  { ...d.createInPlayground, handle: postPlaygroundGeneration },
  { ...d.estimateInPlayground, handle: postPlaygroundEstimate },
  { ...d.uploadFile, takesBytes: true, streamsBody: true, handle: postUpload },
  { ...d.getMaterialPicture, handle: getMaterialPicture },
  { ...d.getUsage, handle: getUsage },
  { ...d.exportAccountTasks, handle: exportAccountTasks },
  { ...d.exportAllTasks, handle: exportAllTasks },
  { ...d.exportLedger, handle: exportLedger },
  { ...d.exportUsage, handle: exportUsage },
];

/** Who signs in, and what they may where. */
const peopleRoutes: readonly Route[] = [
  { ...d.signIn, knowsSession: true, handle: postSession },
  { ...d.getSession, handle: getSession },
  { ...d.signOut, handle: deleteSession },
  { ...d.confirmSession, handle: postConfirm },
  { ...d.changePassword, handle: postPassword },
  { ...d.changeName, handle: postName },
  { ...d.listSessions, handle: getSessions },
  { ...d.endSession, handle: deleteOneSession },
  { ...d.lookAtLink, handle: postLookAtLink },
  { ...d.useLink, knowsSession: true, handle: postUseLink },
  { ...d.listMembers, handle: getMembers },
  { ...d.changeMember, handle: postMember },
  { ...d.removeMember, handle: deleteMember },
  { ...d.listInvitations, handle: getInvitations },
  { ...d.inviteMember, handle: postInvitation },
  { ...d.revokeInvitation, handle: deleteInvitation },
  { ...d.listPeople, handle: getPeople },
  { ...d.inviteAdministrator, handle: postAdministrator },
  { ...d.makePasswordLink, handle: postPasswordLink },
  { ...d.closePerson, handle: postClosePerson },
];

/** What people add to their credits, what helps them with webhooks, and the operator's figures. */
const topUpRoutes: readonly Route[] = [
  { ...d.getTopUps, handle: getTopUps },
  { ...d.redeemCode, handle: postRedemption },
  { ...d.openCheckout, handle: postCheckout },
  { ...d.createCodes, handle: postCodes },
  { ...d.listCodes, handle: getCodes },
  { ...d.revokeCode, handle: deleteCode },
  { ...d.stripeEvents, takesBytes: true, handle: postStripeEvent },
  { ...d.sendTestCall, handle: postTestCall },
  { ...d.replayFailed, handle: postReplayFailed },
  { ...d.getSummary, handle: getSummary },
  { ...d.getSystem, handle: getSystem },
];

const guideRoutes: readonly Route[] = [
  { ...d.guides, answersHead: true, handle: getGuides },
  { ...d.guide, answersHead: true, handle: getGuide },
  { ...d.llmsText, answersHead: true, handle: getLlmsText },
  { ...d.commandLine, answersHead: true, handle: getCommandLine },
  { ...d.aiSdkProvider, answersHead: true, handle: getAiSdkProvider },
];

/** Made once: it takes some 50 ms, anyone may ask, and it does not change while we run. */
function openApiEndpoint(routes: () => readonly Route[]): Handle {
  let text: string | undefined;
  return async ({ publicUrl }) => {
    const about = { routes: routes(), publicUrl: publicUrl(), version };
    text ??= JSON.stringify(openApiDocument(about));
    return { text, headers: { 'content-type': 'application/json; charset=utf-8' } };
  };
}
