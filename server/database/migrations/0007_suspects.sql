-- Work that two workers in a row have died with. It is claimed one at a time, and looked for at
-- every claim: this index is all but always empty.
create index jobs_suspect on jobs (lane, run_at)
  where ready and lease_until is null and deaths >= 2;
