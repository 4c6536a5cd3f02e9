-- Models that operators declared in the dashboard. Tasks have their own copy of what they were
-- created with, so a row may go at any time.
create table models (
  name text collate "C" not null,
  declaration jsonb not null,
  created_by text not null,
  changed_at timestamptz default now() not null,
  constraint models_pkey primary key (name),
  constraint models_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 254)),
  constraint models_declaration_check check ((jsonb_typeof(declaration) = 'object')
    and (octet_length(declaration::text) <= 20000)),
  constraint models_name_check check (name ~
    '^[a-z0-9][a-z0-9._-]{0,63}(/[a-z0-9][a-z0-9._-]{0,63})?$')
);
