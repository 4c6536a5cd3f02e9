-- The row changes of whole tasks, :size at a time, each on another account. Every transaction is
-- one that the service commits: accept, claim, intent, start, claim, settle, claim, delivery.
\set first random(0, :accounts - 1)
select array_agg('task_' || lpad(to_hex(nextval('batches')), 26, '0'))::text as ids
from generate_series(1, :size::int) \gset

-- Accept.
begin;
select account_id, available, reserved, spent, last_entry, closed, now() from balances
where mode = 'live' and account_id in (
  select account_id from numbered_accounts
  where number = any(array(select (:first::int + i) % :accounts::int
    from generate_series(1, :size::int) i)))
order by account_id, mode for no key update;
select k.id from api_keys k join numbered_accounts n on n.key_id = k.id
where k.revoked_at is null and n.number = any(array(select (:first::int + i) % :accounts::int
  from generate_series(1, :size::int) i))
order by k.id for share of k;
insert into tasks (id, account_id, key_id, mode, model, generation, callback_url, credits,
  deadline_at, request_id)
select u.id, n.account_id, n.key_id, 'live', 'vidgen-2-0-mini',
  '{"model": "vidgen-2-0-mini", "generationType": "text-to-video", "duration": 5, "seed": null,
    "prompt": "A paper boat drifts on a quiet lake", "aspectRatio": "16:9", "resolution": "480p",
    "imageUrls": [], "videoUrls": [], "audioUrls": [], "watermark": false, "webSearch": false,
    "generateAudio": true, "returnLastFrame": false}',
  'http://127.0.0.1:8000/hook', 5, now() + interval '1 hour', 'req_0123456789abcdefghijkl'
from unnest(:ids::text[]) with ordinality u(id, i)
join numbered_accounts n on n.number = (:first::int + u.i) % :accounts::int;
insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
  available_after, reserved_after, spent_after, suspended_after, task_id)
select b.account_id, b.mode, b.last_entry + 1, 'reserve', 'available', 'reserved', 5,
  b.available - 5, b.reserved + 5, b.spent, b.suspended, t.id
from tasks t join balances b on b.account_id = t.account_id and b.mode = t.mode
where t.id = any(:ids::text[]);
update balances b set available = b.available - 5, reserved = b.reserved + 5,
  last_entry = b.last_entry + 1
from tasks t
where t.id = any(:ids::text[]) and b.account_id = t.account_id and b.mode = t.mode;
insert into jobs (kind, queue, account_id, task_id)
select 'submit', 'default', account_id, id from tasks where id = any(:ids::text[]);
select pg_notify('vidgen_work', '');
commit;

-- Claim the submits, and read what they submit.
update jobs set lease_owner = 'pgbench', lease_until = now() + interval '30 seconds',
  fence = fence + 1
where task_id = any(:ids::text[]) and kind in ('submit', 'poll') and lease_until is null
returning id, kind, account_id, task_id, fence, attempts;
select * from tasks where id = any(:ids::text[]);

-- Write the intent.
begin;
update tasks set submitted_at = now() where id = any(:ids::text[]) and status = 'queued';
insert into attempts (task_id, number, provider, reference)
select id, 1, 'upstream', 'vg_' || id from unnest(:ids::text[]) id;
select id from jobs
where task_id = any(:ids::text[]) and kind in ('submit', 'poll') and lease_until is not null
order by id for update;
commit;

-- Record the start.
begin;
update tasks set status = 'generating' where id = any(:ids::text[]) and status = 'queued';
update attempts set operation = 'operation-1', accepted_at = now(), unanswered = false
where task_id = any(:ids::text[]) and operation is null;
update jobs set kind = 'poll', queue = 'polls', run_at = now(), ready = true, lease_owner = null,
  lease_until = null
where task_id = any(:ids::text[]) and kind in ('submit', 'poll');
select pg_notify('vidgen_task', id) from unnest(:ids::text[]) id;
select pg_notify('vidgen_work', '');
commit;

-- Claim the polls, and read what they poll.
update jobs set lease_owner = 'pgbench', lease_until = now() + interval '30 seconds',
  fence = fence + 1
where task_id = any(:ids::text[]) and kind in ('submit', 'poll') and lease_until is null
returning id, kind, account_id, task_id, fence, attempts;
select t.*, a.* from tasks t join attempts a on a.task_id = t.id and a.outcome is null
where t.id = any(:ids::text[]);

-- Settle.
begin;
select b.account_id, b.available, b.reserved, b.spent, b.last_entry from balances b
join tasks t on t.account_id = b.account_id and t.mode = b.mode
where t.id = any(:ids::text[]) order by b.account_id, b.mode for no key update of b;
select * from tasks where id = any(:ids::text[]) order by id for no key update;
insert into ledger_entries (account_id, mode, number, kind, source, target, amount,
  available_after, reserved_after, spent_after, suspended_after, task_id)
select b.account_id, b.mode, b.last_entry + 1, 'charge', 'reserved', 'spent', 5,
  b.available, b.reserved - 5, b.spent + 5, b.suspended, t.id
from tasks t join balances b on b.account_id = t.account_id and b.mode = t.mode
where t.id = any(:ids::text[]);
update balances b set reserved = b.reserved - 5, spent = b.spent + 5,
  last_entry = b.last_entry + 1
from tasks t
where t.id = any(:ids::text[]) and b.account_id = t.account_id and b.mode = t.mode;
update tasks set status = 'completed', billing_status = 'charged', finished_at = now(),
  progress = 1, expires_at = now() + interval '1 day',
  result = jsonb_build_object('video', id || '/1/video.mp4', 'lastFrame', null)
where id = any(:ids::text[]) and status = 'generating' returning *;
delete from jobs where task_id = any(:ids::text[]) and kind in ('submit', 'poll');
update attempts set outcome = 'completed', ended_at = now()
where task_id = any(:ids::text[]) and outcome is null;
insert into deliveries (id, account_id, task_id, mode, url, body)
select 'msg_' || substr(id, 6), account_id, id, mode, callback_url,
  '{"id": "' || id || '", "status": "completed", "data": {"results": ["http://127.0.0.1:8000/'
    || 'results/video.mp4?expires=1900000000&signature=0123456789abcdef0123456789abcdef"]}}'
from tasks where id = any(:ids::text[]) returning *;
insert into jobs (kind, queue, account_id, task_id, delivery_id, receiver)
select 'notify', 'webhooks', account_id, id, 'msg_' || substr(id, 6), 7 from tasks
where id = any(:ids::text[]);
insert into jobs (kind, queue, account_id, task_id, run_at, ready)
select 'expire', 'default', account_id, id, now() + interval '1 day', false from tasks
where id = any(:ids::text[]);
select pg_notify('vidgen_task', id) from unnest(:ids::text[]) id;
select pg_notify('vidgen_work', '');
commit;

-- Claim the webhooks, and read what they send.
update jobs set lease_owner = 'pgbench', lease_until = now() + interval '30 seconds',
  fence = fence + 1
where delivery_id = any(array(select 'msg_' || substr(id, 6) from unnest(:ids::text[]) id))
  and kind = 'notify' and lease_until is null
returning id, kind, account_id, task_id, delivery_id, fence, attempts;
select d.*, a.webhook_secret, now() from deliveries d join accounts a on a.id = d.account_id
where d.task_id = any(:ids::text[]);

-- Record the deliveries.
begin;
update deliveries set attempts_made = 1, status = 'delivered', delivered_at = now()
where task_id = any(:ids::text[]) and status = 'pending' returning *;
insert into call_attempts (delivery_id, number, round, started_at, duration_ms, answer_status,
  answer_body)
select id, 1, 1, now(), 1, 200, '' from deliveries where task_id = any(:ids::text[]);
delete from jobs where kind = 'notify' and delivery_id = any(
  array(select 'msg_' || substr(id, 6) from unnest(:ids::text[]) id));
commit;
