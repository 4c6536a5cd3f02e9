-- The settings that connected providers had, for the attempts that were started with them. Attempts
-- store the version after their credential (db_1a@2), except the first.
alter table connected_providers add column version integer default 1 not null;

create table provider_versions (
  provider text not null,
  version integer not null,
  settings jsonb not null,
  replaced_at timestamptz default now() not null,
  constraint provider_versions_pkey primary key (provider, version),
  constraint provider_versions_provider_fkey foreign key (provider)
    references connected_providers(name) on delete cascade
);
