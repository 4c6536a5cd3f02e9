/** Removes a connected provider. It finishes the tasks that it has, and gets no new ones. */
import { ProviderParams } from '@vidgen/contract/admin-providers.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { markRemoved } from '../../providers/connected/store.ts';
import { endpoint } from '../http/endpoint.ts';

export const removeProvider = endpoint({
  operationId: 'removeProvider',
  method: 'DELETE',
  path: '/admin/providers/:name',
  summary: 'Remove a provider',
  description:
    'Removes it from every route. Its running tasks are finished; then its key is deleted.',
  auth: 'admin',
  requiresConfirmation: true,
  params: ProviderParams,
  responses: { 204: { description: 'Removed.' } },
  errors: { not_found: 'No provider with this name is connected in the dashboard.' },
  async handler({ connections }, { params, actor, transaction }) {
    const name = params.name!;
    await transaction(async (tx) => {
      await markRemoved(tx, name);
      await recordAudit(tx, { actor, action: 'provider.remove', subject: name });
    });
    await connections.refresh();
    return { status: 204 };
  },
});
