/** What the address of the audit log may carry. */
import type { SearchSchemaInput } from '@tanstack/react-router';

type AuditLogSearch = { readonly subject?: string };

export const auditLogSearch = (
  search: Partial<AuditLogSearch> & SearchSchemaInput,
): AuditLogSearch =>
  typeof search.subject === 'string' && search.subject !== '' ? { subject: search.subject } : {};
