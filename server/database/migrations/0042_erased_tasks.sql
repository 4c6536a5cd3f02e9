-- A deleted task leaves `tasks` with everything that its customer sent and received. What the
-- ledger, usage and invariants need of it stays here, and never changes.
create table erased_tasks (
  id text collate "C" primary key check (id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'),
  account_id uuid not null references accounts (id),
  key_id text collate "C" not null references api_keys (id),
  mode text not null check (mode in ('live', 'test')),
  model text not null,
  resolution text not null,
  status text not null check (status in ('completed', 'failed')),
  billing_status text not null check (billing_status in ('charged', 'refunded', 'refund_failed')),
  credits bigint not null check (credits > 0),
  created_at timestamptz not null,
  finished_at timestamptz not null,
  erased_at timestamptz not null default now()
);
create index erased_tasks_by_account on erased_tasks (account_id, mode, id);
create trigger erased_tasks_append_only before delete or update or truncate on erased_tasks
  for each statement execute function refuse_change();

-- These rows outlive a task: attempts are what its providers may bill, the job deletes its files,
-- and a repeated create must find that it was repeated. The invariants check them.
alter table attempts drop constraint attempts_task_id_fkey;
alter table jobs drop constraint jobs_task_id_fkey;
alter table idempotency_keys drop constraint idempotency_keys_task_id_fkey;
alter table recent_creates drop constraint recent_creates_task_id_fkey;
-- Without an index by task, each deleted task would read the whole table.
alter table task_metadata drop constraint task_metadata_task_id_fkey;

-- Keys that could do everything still can; others do not gain a permission.
alter table api_keys drop constraint api_keys_permissions_check;
alter table api_keys add constraint api_keys_permissions_check check (
  permissions <@ array['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete']
  and cardinality(permissions) <= 4);
update api_keys set permissions = permissions || 'tasks:delete'::text
where permissions @> array['videos:create', 'tasks:read', 'tasks:cancel'];
