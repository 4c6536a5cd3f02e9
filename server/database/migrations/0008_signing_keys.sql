-- What results are signed with. Certificates stay, because files outlive them.
create table signing_keys (
  id text collate "C" not null,
  kind text not null,
  certificate text not null,
  sealed bytea,
  created_at timestamptz default clock_timestamp() not null,
  retired_at timestamptz,
  constraint signing_keys_pkey primary key (id),
  constraint signing_keys_id_check check (id ~ '^[0-9a-f]{64}$'),
  constraint signing_keys_kind_check check (kind in ('authority', 'signer', 'bought')),
  constraint signing_keys_certificate_check check (octet_length(certificate) <= 65536),
  constraint signing_keys_check check ((kind = 'bought') = (sealed is null))
);
-- Of two that are made at the same time, the second one waits and then fails.
create unique index signing_keys_authority on signing_keys (kind) where kind = 'authority';
create unique index signing_keys_signer on signing_keys (kind)
  where kind = 'signer' and retired_at is null;
