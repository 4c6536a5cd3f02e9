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
import { auditLogEndpoints } from './installation/audit-log.ts';
import { noticeSettingEndpoints } from './installation/notice-settings.ts';
import { overviewEndpoints } from './installation/overview.ts';
import { invariantEndpoints, systemEndpoints } from './installation/system.ts';
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
import { callbackEndpoints } from './providers/provider-callbacks.ts';
import { providerTestEndpoints } from './providers/provider-tests.ts';
import { providerEndpoints, routeEndpoints } from './providers/providers.ts';
import { deliveryEndpoints, webhookToolEndpoints } from './tasks/deliveries.ts';
import { playgroundEndpoints } from './tasks/playground.ts';
import { getMaterialImage } from './tasks/task-images.ts';
import { taskListEndpoints } from './tasks/task-lists.ts';
import { taskEndpoints } from './tasks/tasks.ts';
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
