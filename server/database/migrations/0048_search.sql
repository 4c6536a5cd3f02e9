-- concurrently
-- Searches and sorted lists of accounts, people, tasks, codes and the audit log.

-- The words of a text, for full-text search. The collation "C" of a database lowers ASCII letters
-- only, so Latin, Greek and Cyrillic ones are listed. Punctuation separates words; each Chinese,
-- Japanese or Korean character is a word, because these scripts put no spaces between words.
create or replace function search_words(content text) returns tsvector
  language sql immutable parallel safe
  return strip(to_tsvector('pg_catalog.simple', regexp_replace(
    case when octet_length(content) = char_length(content) then lower(content)
    else regexp_replace(translate(lower(content),
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶ'
      'ȘȚĹĻĽĿŁŃŅŇŹŻŽΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈ'
      'ЉЊЋЌЍЎЏ',
      'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷ'
      'șțĺļľŀłńņňźżžαβγδεζηθικλμνξοπρστυφχψωϊϋабвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїј'
      'љњћќѝўџ'),
      '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    end, '[!-/:-@\[-`{-~]', ' ', 'g')));

-- Every word of the text, each as the beginning of a word. Matches nothing without any.
create or replace function search_query(content text) returns tsquery
  language sql immutable parallel safe
  return (select coalesce(string_agg(quote_literal(word) || ':*', ' & '), '')::tsquery
    from unnest(tsvector_to_array(search_words(content))) as word);

create index concurrently accounts_words on accounts using gin (search_words(name));
create index concurrently accounts_by_name on accounts (left(lower(name), 64) collate "C", id);
create index concurrently people_words on people using gin (search_words(name || ' ' || email));
create index concurrently people_by_name on people (left(lower(name), 64) collate "C", id);
create index concurrently people_by_seen on people
  (coalesce(last_seen_at, to_timestamp(0)), id);

-- What the list of accounts is sorted by, copied from other tables some seconds late. An index on
-- a balance itself would be updated by every create.
create table if not exists account_activity (
  account_id uuid primary key,
  -- Live credits.
  available bigint not null default 0,
  -- IDs sort by creation; empty without a task.
  last_task_id text collate "C" not null default ''
);
create index concurrently account_activity_by_balance
  on account_activity (available, account_id);
create index concurrently account_activity_by_task
  on account_activity (last_task_id, account_id);
insert into account_activity (account_id) select id from accounts on conflict do nothing;

create index concurrently operator_actions_of_actor on operator_actions (actor, id desc);
create index concurrently operator_actions_of_action on operator_actions (action, id desc);
create index concurrently operator_actions_by_time on operator_actions (at);
-- The account of a task, key or delivery that an entry is about. Entries about the account itself
-- name it as their subject.
alter table operator_actions add column if not exists account_id uuid;
create index concurrently operator_actions_of_account on operator_actions (account_id, id desc)
  where account_id is not null;

create index concurrently redemption_codes_words on redemption_codes
  using gin (search_words(note || ' ' || last_four || ' ' || created_by));
create index concurrently redemption_codes_by_amount on redemption_codes (amount, id);
create index concurrently redemption_codes_of_account on redemption_codes (account_id, id)
  where account_id is not null;

-- The words of prompts, filled some seconds after the create, which therefore costs what it did. A
-- word that begins with "=" is a request ID, a key or an account.
create table if not exists task_search (
  task_id text collate "C" primary key,
  words tsvector not null
);
create index concurrently task_search_words on task_search using gin (words);
-- All tasks up to this ID are in `task_search`. One row.
create table if not exists task_search_position (
  one boolean primary key default true check (one),
  position text collate "C" not null
);
insert into task_search_position (position) values ('') on conflict do nothing;

-- The tasks of a provider, newest first.
create index concurrently attempts_by_provider on attempts (provider, task_id desc);

-- Days of the whole installation in UTC, for the overview of operators. Added once their tasks are
-- final, as in `usage_days`.
create table if not exists installation_days (
  day date not null,
  mode text not null check (mode in ('live', 'test')),
  model text not null,
  outcome text not null check (outcome in ('completed', 'failed', 'cancelled')),
  tasks bigint not null check (tasks > 0),
  -- Charged ones.
  credits bigint not null check (credits >= 0),
  primary key (day, mode, model, outcome)
);
-- How long completed tasks took, in steps of 5 %: `bucket` is 20 times the natural logarithm of the
-- seconds. Percentiles of any period follow from the sums, within 2.5 %.
create table if not exists installation_times (
  day date not null,
  mode text not null check (mode in ('live', 'test')),
  bucket integer not null,
  tasks bigint not null check (tasks > 0),
  primary key (day, mode, bucket)
);
create table if not exists provider_days (
  day date not null,
  provider text not null,
  outcome text not null,
  attempts bigint not null check (attempts > 0),
  primary key (day, provider, outcome)
);
-- The first day that is not in these tables. One row.
create table if not exists installation_rollup (
  one boolean primary key default true check (one),
  until timestamptz not null
);
insert into installation_rollup (until) select since from usage_rollup on conflict do nothing;

-- Credits that were moved on each day, by kind of entry. Late entries are added to their day.
create table if not exists ledger_days (
  day date not null,
  mode text not null check (mode in ('live', 'test')),
  kind text not null,
  credits numeric not null,
  primary key (day, mode, kind)
);
-- All entries up to this ID are in `ledger_days`. One row.
create table if not exists ledger_rollup (
  one boolean primary key default true check (one),
  position bigint not null
);
insert into ledger_rollup (position) values (0) on conflict do nothing;
