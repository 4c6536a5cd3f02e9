/** Every endpoint of the service, in the order of the OpenAPI document. */
import { accountSettingEndpoints } from './accounts/account-settings.ts';
import { accountEndpoints } from './accounts/accounts.ts';
import { exportAccount } from './accounts/archive.ts';
import { keyEndpoints } from './accounts/keys.ts';
import { creditEndpoints } from './credits/credits.ts';
import { redemptionCodeEndpoints } from './credits/redemption-codes.ts';
import { stripeEvents } from './credits/stripe-events.ts';
import { topUpEndpoints } from './credits/top-ups.ts';
import { usageEndpoints } from './credits/usage.ts';
import { deleteMcp, getMcp, postMcp } from './dialects/mcp/mcp-endpoint.ts';
import { createModelArkTask } from './dialects/modelark/create-task.ts';
import { deleteModelArkTask } from './dialects/modelark/delete-task.ts';
import { getModelArkTask } from './dialects/modelark/get-task.ts';
import { listModelArkTasks } from './dialects/modelark/list-tasks.ts';
import { createVideo } from './dialects/openai/create-video.ts';
import { deleteVideo } from './dialects/openai/delete-video.ts';
import { editVideo } from './dialects/openai/edit-video.ts';
import { extendVideo } from './dialects/openai/extend-video.ts';
import { getVideo } from './dialects/openai/get-video.ts';
import { getVideoContent } from './dialects/openai/get-video-content.ts';
import { listVideos } from './dialects/openai/list-videos.ts';
import { getOpenRouterCredits, listOpenRouterModels } from './dialects/openrouter/account.ts';
import { createVideoJob } from './dialects/openrouter/create-video-job.ts';
import { getVideoJob } from './dialects/openrouter/get-video-job.ts';
import { getVideoJobContent } from './dialects/openrouter/get-video-job-content.ts';
import { listVideoJobModels } from './dialects/openrouter/list-video-job-models.ts';
import type { Endpoint } from './http/endpoint-definition.ts';
import type { Metrics } from './http/metrics.ts';
import { auditLogEndpoints } from './installation/audit-log.ts';
import { noticeSettingEndpoints } from './installation/notice-settings.ts';
import { overviewEndpoints } from './installation/overview.ts';
import { invariantEndpoints, systemEndpoints } from './installation/system.ts';
import { aiSdkProvider } from './pages/ai-sdk-provider.ts';
import { commandLine } from './pages/command-line.ts';
import { dashboardAsset } from './pages/dashboard-asset.ts';
import { dashboard, dashboardPage, startPage } from './pages/dashboard-page.ts';
import { docsPage } from './pages/docs-page.ts';
import { docsScript } from './pages/docs-script.ts';
import { getGuide } from './pages/get-guide.ts';
import { getMetrics } from './pages/get-metrics.ts';
import { getOpenApi } from './pages/get-openapi.ts';
import { getResult } from './pages/get-result.ts';
import { getUpload } from './pages/get-upload.ts';
import { healthz } from './pages/healthz.ts';
import { listGuides } from './pages/list-guides.ts';
import { llmsText } from './pages/llms-text.ts';
import { readyz } from './pages/readyz.ts';
import { siteAsset } from './pages/site-assets.ts';
import { changeMember } from './people/change-member.ts';
import { changeName } from './people/change-name.ts';
import { changePassword } from './people/change-password.ts';
import { collectLogin } from './people/collect-login.ts';
import { confirmByOpenId } from './people/confirm-by-openid.ts';
import { confirmLogin } from './people/confirm-login.ts';
import { confirmSession } from './people/confirm-session.ts';
import { createPasswordLink } from './people/create-password-link.ts';
import { deactivatePerson } from './people/deactivate-person.ts';
import { disableSecondFactor } from './people/disable-second-factor.ts';
import { dismissNotice } from './people/dismiss-notice.ts';
import { enableSecondFactor } from './people/enable-second-factor.ts';
import { endSession } from './people/end-session.ts';
import { enterCode } from './people/enter-code.ts';
import { forgotPassword } from './people/forgot-password.ts';
import { getLogin } from './people/get-login.ts';
import { getSecurity } from './people/get-security.ts';
import { getSession } from './people/get-session.ts';
import { inspectLink } from './people/inspect-link.ts';
import { inviteAdministrator } from './people/invite-administrator.ts';
import { inviteMember } from './people/invite-member.ts';
import { linkIdentity } from './people/link-identity.ts';
import { listInvitations } from './people/list-invitations.ts';
import { listMembers } from './people/list-members.ts';
import { listNotices } from './people/list-notices.ts';
import { listPeople } from './people/list-people.ts';
import { listSessions } from './people/list-sessions.ts';
import { listSignInMethods } from './people/list-sign-in-methods.ts';
import { openIdCallback } from './people/openid-callback.ts';
import { readNotices } from './people/read-notices.ts';
import { removeMember } from './people/remove-member.ts';
import { replaceRecoveryCodes } from './people/replace-recovery-codes.ts';
import { resetSecondFactor } from './people/reset-second-factor.ts';
import { revokeInvitation } from './people/revoke-invitation.ts';
import { signIn } from './people/sign-in.ts';
import { signOut } from './people/sign-out.ts';
import { startLogin } from './people/start-login.ts';
import { startOpenId } from './people/start-openid.ts';
import { startSecondFactor } from './people/start-second-factor.ts';
import { unlinkIdentity } from './people/unlink-identity.ts';
import { useLink } from './people/use-link.ts';
import { callbackEndpoints } from './providers/provider-callbacks.ts';
import { providerTestEndpoints } from './providers/provider-tests.ts';
import { providerEndpoints, routeEndpoints } from './providers/providers.ts';
import { deliveryEndpoints, webhookToolEndpoints } from './tasks/deliveries.ts';
import { playgroundEndpoints } from './tasks/playground.ts';
import { getMaterialImage } from './tasks/task-images.ts';
import { taskListEndpoints } from './tasks/task-lists.ts';
import { taskEndpoints } from './tasks/tasks.ts';
import { cancelTask } from './v1/cancel-task.ts';
import { createFile } from './v1/create-file.ts';
import { createGeneration } from './v1/create-generation.ts';
import { deleteTask } from './v1/delete-task.ts';
import { estimateGeneration } from './v1/estimate-generation.ts';
import { getCredits } from './v1/get-credits.ts';
import { getModel } from './v1/get-model.ts';
import { getTask } from './v1/get-task.ts';
import { listModels } from './v1/list-models.ts';
import { listTasks } from './v1/list-tasks.ts';

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
  ...accountEndpoints,
  ...creditEndpoints,
  ...keyEndpoints,
  ...accountSettingEndpoints,
  exportAccount,
  ...taskListEndpoints,
  ...taskEndpoints,
  ...deliveryEndpoints,
  ...invariantEndpoints,
  ...providerEndpoints,
  ...providerTestEndpoints,
  ...routeEndpoints,
  ...auditLogEndpoints,
  ...playgroundEndpoints,
  getMaterialImage,
  ...usageEndpoints,
  ...topUpEndpoints,
  ...redemptionCodeEndpoints,
  ...webhookToolEndpoints,
  ...overviewEndpoints,
  ...systemEndpoints,
  ...noticeSettingEndpoints,
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

const callbacks: readonly Endpoint[] = [...callbackEndpoints, stripeEvents];

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
