/** The certificates that results are signed with, and the manifest of a task as JSON. */

import { invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  SigningKeysResponse,
  TaskCredentialsResponse,
} from '@vidgen/contract/content-credentials.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { assertionsAsJson } from '../../credentials/read-manifest.ts';
import type { SigningKeys } from '../../credentials/signing-keys.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt, taskId } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { findTask } from '../tasks/task-view.ts';
import { inspectResult, verificationView, verifySample } from './verify.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n';
const keysSample = {
  items: [
    {
      id: '3b5d5c3712955042212316173ccf37be80ad2d3a3a4d0c2f1e6a7b8c9d0e1f2a',
      kind: 'signer',
      subject: 'Content credentials of videos.example.com',
      certificate: pem,
      created_at: createdAt,
      ends_at: createdAt + 473_364_000,
      retired_at: null,
      signs: true,
    },
  ],
  next_cursor: null,
  can_rotate: true,
};

function keysView(keys: SigningKeys): SigningKeysResponse {
  const items = keys.list().map(({ createdAt: created, endsAt, retiredAt, ...one }) => ({
    ...one,
    created_at: unixSeconds(created),
    ends_at: unixSecondsOrNull(endsAt),
    retired_at: unixSecondsOrNull(retiredAt),
  }));
  return { items, next_cursor: null, can_rotate: !keys.isBought };
}

const listSigningKeys = endpoint({
  operationId: 'listSigningKeys',
  method: 'GET',
  path: '/admin/signing-keys',
  summary: 'List certificates of content credentials',
  auth: 'admin',
  responses: {
    200: jsonResponse('Those in use and retired ones, all on one page.', SigningKeysResponse, {
      own: ['Our own certificate', keysSample],
    }),
  },
  handler: async ({ signingKeys }) => ({ body: keysView(signingKeys) }),
});

const rotateSigningKey = endpoint({
  operationId: 'rotateSigningKey',
  method: 'POST',
  path: '/admin/signing-keys/rotate',
  summary: 'Rotate the key of content credentials',
  description:
    'Makes another key with a certificate of the same authority. It signs what providers accept ' +
    'from now on; what was signed before stays valid.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: jsonResponse('The certificates.', SigningKeysResponse, {
      rotated: ['After the rotation', keysSample],
    }),
  },
  errors: { invalid_request: 'Results are signed with the certificate of VIDGEN_C2PA_CERT.' },
  async handler({ signingKeys }, { actor, transaction }) {
    if (signingKeys.isBought) {
      throw invalidRequest(
        'Results are signed with the certificate of VIDGEN_C2PA_CERT; replace its files and ' +
          'restart.',
      );
    }
    await transaction(async (tx) => {
      const id = await signingKeys.rotate(tx);
      await recordAudit(tx, { actor, action: 'signing_key.rotate', subject: id });
    });
    await signingKeys.refresh();
    return { body: keysView(signingKeys) };
  },
});

const getTaskCredentials = endpoint({
  operationId: 'getTaskCredentials',
  method: 'GET',
  path: '/admin/tasks/:id/credentials',
  summary: 'Get the content credentials of a task',
  description: 'Reads and verifies the manifest in its stored video.',
  auth: 'member',
  role: 'viewer',
  sessionLimit: { purpose: 'verify', perMinute: 30 },
  responses: {
    200: jsonResponse('The manifest.', TaskCredentialsResponse, {
      signed: [
        'Signed here',
        {
          task_id: taskId,
          verification: verifySample,
          assertions: { 'vidgen.generation': { model: 'vidgen-2-5' } },
          certificates: [pem],
        },
      ],
    }),
  },
  errors: { not_found: 'No result found with this ID; it may have expired.' },
  async handler(services, request) {
    const task = await findTask(services, request);
    const inspection = await inspectResult(services, task);
    const body: TaskCredentialsResponse = {
      task_id: task.id,
      verification: verificationView(inspection),
      assertions: assertionsAsJson(inspection.assertions),
      certificates: services.signingKeys.list().map(({ certificate }) => certificate),
    };
    return { body };
  },
});

export const signingKeyEndpoints = [listSigningKeys, rotateSigningKey, getTaskCredentials];
