/** Exports everything of an account as one archive. */
import { Readable } from 'node:stream';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { endpoint } from '../http/endpoint.ts';
import { accountArchive } from './account-archive.ts';
import { fileNameOf } from './export-response.ts';
import { exportLimit } from './session-limits.ts';

export const exportAccount = endpoint({
  operationId: 'exportAccount',
  method: 'GET',
  path: '/admin/accounts/:id/archive',
  summary: 'Export an account',
  description:
    'A tar archive: `account.json` with members and keys, pages of JSON lines in `ledger/`, ' +
    '`deliveries/` and `tasks/`, results in `files/`, uploads in `uploads/`, and at its end ' +
    '`complete.json`. If that is missing, the archive was cut off: request it again.',
  auth: 'member',
  role: 'owner',
  sessionLimit: exportLimit,
  responses: {
    200: { description: 'The archive, as long as it gets.', contentType: 'application/x-tar' },
  },
  async handler({ lifecycle }, request) {
    const account = await getAccount(lifecycle.db, request.params.id!);
    const { actor } = request;
    await request.transaction((tx) =>
      recordAudit(tx, { actor, action: 'account.export', subject: account.id }),
    );
    const archive = accountArchive(lifecycle, {
      account,
      reauthorize: () => request.reauthorize(lifecycle.db, { lock: false }),
    });
    const name = { contentName: 'account', accountName: account.name, format: 'tar' } as const;
    return {
      stream: Readable.from(archive, { objectMode: false }),
      headers: {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${fileNameOf(name)}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    };
  },
});
