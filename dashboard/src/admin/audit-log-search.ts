/** The search parameters of the audit log page. */
import type { SearchSchemaInput } from '@tanstack/react-router';

type AuditLogSearch = { readonly subject?: string };

export const auditLogSearch = (
  search: Partial<AuditLogSearch> & SearchSchemaInput,
): AuditLogSearch =>
  typeof search.subject === 'string' && search.subject !== '' ? { subject: search.subject } : {};
