/** Every endpoint by its name. The route table takes these and adds who handles them. */
import { getCredits, listModels } from './account.ts';
import {
  closeAccount,
  createAccount,
  getAccount,
  grantCredits,
  listAccounts,
  mintKey,
  revokeKey,
  rotateWebhookSecret,
} from './admin-accounts.ts';
import {
  auditBooks,
  cancelAnyTask,
  getAnyTask,
  replayDelivery,
  settleRefund,
} from './admin-actions.ts';
import {
  listAccountTasks,
  listAllTasks,
  listAuditLog,
  listDeliveries,
  listKeys,
  listLedger,
  listProviders,
} from './admin-lists.ts';
import { docsScript, getResult, providerCallback, sharedCallback, startPage } from './files.ts';
import { createGeneration, estimateGeneration } from './generations.ts';
import { docs, healthz, metrics, openApi, readyz } from './service.ts';
import { cancelTask, getTask, listTasks } from './tasks.ts';

/** In the order of the document: the contract first. */
export const descriptions = {
  createGeneration,
  estimateGeneration,
  getTask,
  listTasks,
  cancelTask,
  listModels,
  getCredits,
  createAccount,
  listAccounts,
  getAccount,
  closeAccount,
  grantCredits,
  mintKey,
  listKeys,
  revokeKey,
  rotateWebhookSecret,
  listAccountTasks,
  listAllTasks,
  getAnyTask,
  listLedger,
  listDeliveries,
  cancelAnyTask,
  settleRefund,
  replayDelivery,
  auditBooks,
  listProviders,
  listAuditLog,
  getResult,
  providerCallback,
  sharedCallback,
  healthz,
  readyz,
  metrics,
  openApi,
  docs,
  docsScript,
  startPage,
} as const;
