-- concurrently
-- Also those that an admin has resolved, unlike `tasks_refund_failed`, which it replaces.
create index concurrently tasks_refund_failures on tasks (id)
  where billing_status = 'refund_failed';
