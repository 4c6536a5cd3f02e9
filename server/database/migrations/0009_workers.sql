-- GPU boxes: machines that connect to the service by themselves and offer one engine. A box that is
-- revoked has no row.
create table workers (
  name text not null,
  label text,
  token_digest text not null,
  created_by text not null,
  created_at timestamptz default now() not null,
  draining boolean default false not null,
  -- What the program on the box reported when it connected; null before the first time.
  engine text,
  slots integer,
  version text,
  -- One start of the program: a second machine with the same name has another.
  instance text,
  last_seen_at timestamptz,
  constraint workers_pkey primary key (name),
  constraint workers_token_digest_key unique (token_digest),
  constraint workers_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 254)),
  constraint workers_name_check check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  constraint workers_label_check check (label ~ '^[a-z][a-z0-9-]{0,31}$'),
  constraint workers_slots_check check ((slots >= 0) and (slots <= 64))
);

-- Which processes hold connections of a box, and where the others reach these processes.
create unlogged table worker_connections (
  name text not null,
  address text not null,
  seen_at timestamptz default now() not null,
  constraint worker_connections_pkey primary key (name, address)
);
