/** Every endpoint of the service, in the order of the OpenAPI document. */
import { cancelAnyTask } from './admin/cancel-any-task.ts';
import { changeAccount } from './admin/change-account.ts';
import { checkInvariants } from './admin/check-invariants.ts';
import { closeAccount } from './admin/close-account.ts';
import { connectProvider } from './admin/connect-provider.ts';
import { createAccount } from './admin/create-account.ts';
import { createApiKey } from './admin/create-api-key.ts';
import { createCodes } from './admin/create-codes.ts';
import { createInPlayground } from './admin/create-in-playground.ts';
import { deductCredits } from './admin/deduct-credits.ts';
import { deleteAnyTask } from './admin/delete-any-task.ts';
import { eraseAccount } from './admin/erase-account.ts';
import { estimateInPlayground } from './admin/estimate-in-playground.ts';
import { exportAccount } from './admin/export-account.ts';
import { exportAccountTasks } from './admin/export-account-tasks.ts';
import { exportAccounts } from './admin/export-accounts.ts';
import { exportAllTasks } from './admin/export-all-tasks.ts';
import { exportAuditLog } from './admin/export-audit-log.ts';
import { exportCodes } from './admin/export-codes.ts';
import { exportLedger } from './admin/export-ledger.ts';
import { exportUsage } from './admin/export-usage.ts';
import { getAccount } from './admin/get-account.ts';
import { getAnyTask } from './admin/get-any-task.ts';
import { getBalanceAlert } from './admin/get-balance-alert.ts';
import { getFindings } from './admin/get-findings.ts';
import { getLimits } from './admin/get-limits.ts';
import { getMaterialImage } from './admin/get-material-image.ts';
import { getNoticeSettings } from './admin/get-notice-settings.ts';
import { getOverview } from './admin/get-overview.ts';
import { getProviderTest } from './admin/get-provider-test.ts';
import { getStory } from './admin/get-story.ts';
import { getSummary } from './admin/get-summary.ts';
import { getSystem } from './admin/get-system.ts';
import { getTopUps } from './admin/get-top-ups.ts';
import { getUsage } from './admin/get-usage.ts';
import { grantCredits } from './admin/grant-credits.ts';
import { listAccountTasks } from './admin/list-account-tasks.ts';
import { listAccounts } from './admin/list-accounts.ts';
import { listAllTasks } from './admin/list-all-tasks.ts';
import { listAuditLog } from './admin/list-audit-log.ts';
import { listCodes } from './admin/list-codes.ts';
import { listDeliveries } from './admin/list-deliveries.ts';
import { listDeliveryAttempts } from './admin/list-delivery-attempts.ts';
import { listKeys } from './admin/list-keys.ts';
import { listLedger } from './admin/list-ledger.ts';
import { listPlaygroundModels } from './admin/list-playground-models.ts';
import { listProviders } from './admin/list-providers.ts';
import { openCheckout } from './admin/open-checkout.ts';
import { redeemCode } from './admin/redeem-code.ts';
import { removeProvider } from './admin/remove-provider.ts';
import { renameAccount } from './admin/rename-account.ts';
import { replaceProviderKey } from './admin/replace-provider-key.ts';
import { replayDelivery } from './admin/replay-delivery.ts';
import { replayFailedDeliveries } from './admin/replay-failed-deliveries.ts';
import { resumeAccount } from './admin/resume-account.ts';
import { revokeCode } from './admin/revoke-code.ts';
import { revokeKey } from './admin/revoke-key.ts';
import { rotateWebhookSecret } from './admin/rotate-webhook-secret.ts';
import { sendTestMail } from './admin/send-test-mail.ts';
import { sendTestWebhook } from './admin/send-test-webhook.ts';
import { setBalanceAlert } from './admin/set-balance-alert.ts';
import { setLimits } from './admin/set-limits.ts';
import { setNoticeSettings } from './admin/set-notice-settings.ts';
import { setProviderRoute } from './admin/set-provider-route.ts';
import { setRetention } from './admin/set-retention.ts';
import { setSpendingCap } from './admin/set-spending-cap.ts';
import { setWebhookUrl } from './admin/set-webhook-url.ts';
import { settleRefund } from './admin/settle-refund.ts';
import { startProviderTestEndpoint } from './admin/start-provider-test.ts';
import { suspendAccount } from './admin/suspend-account.ts';
import { uploadFile } from './admin/upload-file.ts';
import { providerCallback } from './callbacks/provider-callback.ts';
import { sharedCallback } from './callbacks/shared-callback.ts';
import { stripeEvents } from './callbacks/stripe-events.ts';
import { deleteMcp, getMcp, postMcp } from './dialects/mcp/mcp-endpoint.ts';
import {
  createModelArkTask,
  deleteModelArkTask,
  getModelArkTask,
  listModelArkTasks,
} from './dialects/modelark/tasks.ts';
import { createVideo, editVideo, extendVideo } from './dialects/openai/create-video.ts';
import { deleteVideo, getVideo, getVideoContent, listVideos } from './dialects/openai/videos.ts';
import {
  getOpenRouterCredits,
  listOpenRouterModels,
  listVideoJobModels,
} from './dialects/openrouter/account.ts';
import { createVideoJob, getVideoJob, getVideoJobContent } from './dialects/openrouter/videos.ts';
import type { Endpoint } from './http/endpoint-definition.ts';
import type { Metrics } from './http/metrics.ts';
import { aiSdkProvider, commandLine } from './pages/client-files.ts';
import { dashboard, dashboardAsset, dashboardPage, startPage } from './pages/dashboard-page.ts';
import { docsPage, docsScript, getOpenApi } from './pages/docs-page.ts';
import { getResult, getUpload } from './pages/get-result.ts';
import { getGuide, listGuides, llmsText } from './pages/guides.ts';
import { getMetrics, healthz, readyz } from './pages/health.ts';
import { siteAsset } from './pages/site-assets.ts';
import { collectLogin, confirmLogin, getLogin, startLogin } from './people/cli-logins.ts';
import {
  inviteAdministrator,
  inviteMember,
  listInvitations,
  revokeInvitation,
} from './people/invitations.ts';
import { inspectLink, useLink } from './people/links.ts';
import { changeMember, listMembers, removeMember } from './people/members.ts';
import { dismissNotice, listNotices, readNotices } from './people/notices.ts';
import { confirmByOpenId, linkIdentity, startOpenId } from './people/openid.ts';
import { openIdCallback } from './people/openid-callback.ts';
import {
  createPasswordLink,
  deactivatePerson,
  exportPeople,
  listPeople,
  resetSecondFactor,
  unlinkIdentity,
} from './people/people.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  replaceRecoveryCodes,
  startSecondFactor,
} from './people/second-factor.ts';
import { enterCode } from './people/second-step.ts';
import {
  changeName,
  changePassword,
  confirmSession,
  endSession,
  getSecurity,
  getSession,
  listSessions,
  signOut,
} from './people/sessions.ts';
import { forgotPassword, listSignInMethods, signIn } from './people/sign-in.ts';
import { getCredits, getModel, listModels } from './v1/account.ts';
import { createFile } from './v1/create-file.ts';
import { createGeneration, estimateGeneration } from './v1/create-generation.ts';
import { cancelTask, deleteTask, getTask, listTasks } from './v1/tasks.ts';

const v1: readonly Endpoint[] = [
  createGeneration,
  getTask,
  estimateGeneration,
  listTasks,
  cancelTask,
  deleteTask,
  listModels,
  getModel,
  getCredits,
  createFile,
];

const openai: readonly Endpoint[] = [
  createVideo,
  getVideo,
  getVideoContent,
  listVideos,
  deleteVideo,
  editVideo,
  extendVideo,
];

const openrouter: readonly Endpoint[] = [
  createVideoJob,
  getVideoJob,
  getVideoJobContent,
  listVideoJobModels,
  listOpenRouterModels,
  getOpenRouterCredits,
];

/** APIs of others over the same tasks. */
const dialects: readonly Endpoint[] = [
  createModelArkTask,
  getModelArkTask,
  listModelArkTasks,
  deleteModelArkTask,
  postMcp,
  getMcp,
  deleteMcp,
];

const admin: readonly Endpoint[] = [
  createAccount,
  listAccounts,
  getAccount,
  renameAccount,
  suspendAccount,
  resumeAccount,
  getLimits,
  changeAccount,
  setLimits,
  grantCredits,
  deductCredits,
  listLedger,
  createApiKey,
  listKeys,
  setSpendingCap,
  revokeKey,
  rotateWebhookSecret,
  setWebhookUrl,
  setRetention,
  getBalanceAlert,
  setBalanceAlert,
  closeAccount,
  eraseAccount,
  exportAccount,
  listAccountTasks,
  listAllTasks,
  getAnyTask,
  getStory,
  cancelAnyTask,
  deleteAnyTask,
  settleRefund,
  listDeliveries,
  listDeliveryAttempts,
  replayDelivery,
  checkInvariants,
  listProviders,
  connectProvider,
  replaceProviderKey,
  removeProvider,
  startProviderTestEndpoint,
  getProviderTest,
  setProviderRoute,
  listAuditLog,
  listPlaygroundModels,
  createInPlayground,
  estimateInPlayground,
  uploadFile,
  getMaterialImage,
  getUsage,
  exportAccountTasks,
  exportAccounts,
  exportAllTasks,
  exportAuditLog,
  exportCodes,
  exportPeople,
  exportLedger,
  exportUsage,
  getTopUps,
  redeemCode,
  openCheckout,
  createCodes,
  listCodes,
  revokeCode,
  sendTestWebhook,
  replayFailedDeliveries,
  getOverview,
  getSummary,
  getSystem,
  getFindings,
  getNoticeSettings,
  setNoticeSettings,
  sendTestMail,
];

const people: readonly Endpoint[] = [
  signIn,
  enterCode,
  listSignInMethods,
  startOpenId,
  openIdCallback,
  forgotPassword,
  getSession,
  signOut,
  confirmSession,
  confirmByOpenId,
  getSecurity,
  linkIdentity,
  startSecondFactor,
  enableSecondFactor,
  disableSecondFactor,
  replaceRecoveryCodes,
  changePassword,
  changeName,
  listSessions,
  endSession,
  inspectLink,
  useLink,
  startLogin,
  collectLogin,
  getLogin,
  confirmLogin,
  listMembers,
  changeMember,
  removeMember,
  listInvitations,
  inviteMember,
  revokeInvitation,
  listPeople,
  inviteAdministrator,
  createPasswordLink,
  resetSecondFactor,
  unlinkIdentity,
  deactivatePerson,
  listNotices,
  readNotices,
  dismissNotice,
];

const callbacks: readonly Endpoint[] = [providerCallback, sharedCallback, stripeEvents];

const pages: readonly Endpoint[] = [
  docsPage,
  docsScript,
  siteAsset,
  listGuides,
  getGuide,
  llmsText,
  commandLine,
  aiSdkProvider,
  startPage,
  dashboardAsset,
  dashboard,
  dashboardPage,
];

export function createRoutes({ metrics }: { metrics: Metrics }): readonly Endpoint[] {
  const routes: readonly Endpoint[] = [
    ...v1,
    ...dialects,
    ...openai,
    ...openrouter,
    ...admin,
    ...people,
    getResult,
    getUpload,
    ...callbacks,
    healthz,
    readyz,
    getMetrics(metrics),
    getOpenApi(() => routes),
    ...pages,
  ];
  return routes;
}
