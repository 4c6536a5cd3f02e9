/** What the address of the audit log may carry. */
import type { SearchSchemaInput } from '@tanstack/react-router';

export type AuditLogSearch = { readonly subject?: string };

export const auditLogSearch = (
  given: Partial<AuditLogSearch> & SearchSchemaInput,
): AuditLogSearch =>
  typeof given.subject === 'string' && given.subject !== '' ? { subject: given.subject } : {};
