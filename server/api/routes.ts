/**
 * Every endpoint there is: what it promises (its description), which window counts it, who handles
 * it. Key and permission are part of the description; the steps run in the order of `steps.ts`.
 */
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
import {
  getAccountTasks,
  getAdminTask,
  getAllTasks,
  getAudit,
  getAuditLog,
  getDeliveries,
  postAdminCancel,
  postReplay,
  postSettleRefund,
} from './admin-tasks.ts';
import { cancelTask } from './cancel-task.ts';
import { createGeneration, estimate } from './create-generation.ts';
import { descriptions as d } from './descriptions/descriptions.ts';
import { docsPage, docsScript } from './docs-page.ts';
import { getCredits } from './get-credits.ts';
import { getTask } from './get-task.ts';
import { healthz, readyz } from './health.ts';
import { listModels } from './list-models.ts';
import { listOwnTasks } from './list-tasks.ts';
import { type Metrics, metricsEndpoint } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { postProviderCallback, postSharedCallback } from './provider-callback.ts';
import { getResult } from './results.ts';
import type { RouteDescription } from './route-description.ts';
import type { Handle } from './service.ts';
import { startPage } from './start-page.ts';

export type Route = RouteDescription & {
  /** Spec 8: creates have a window of their own; everything else under /v1 shares the other. */
  readonly window?: 'create' | 'status';
  /** Lets others in than its description's key says, such as callers on this machine. */
  readonly checksItself?: true;
  /** The body as it came, of whatever type: signatures are over bytes. */
  readonly takesBytes?: true;
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

    { ...d.getResult, answersHead: true, handle: getResult },
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
    { ...d.startPage, handle: startPage },
  ];
  return routes;
}

const version = '0.1.0';

/** Made once: it takes some 50 ms, anyone may ask, and it does not change while we run. */
function openApiEndpoint(routes: () => readonly Route[]): Handle {
  let text: string | undefined;
  return async ({ publicUrl }) => {
    const about = { routes: routes(), publicUrl: publicUrl(), version };
    text ??= JSON.stringify(openApiDocument(about));
    return { text, headers: { 'content-type': 'application/json; charset=utf-8' } };
  };
}
