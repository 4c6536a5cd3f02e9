-- The name of the credential an attempt began with: a rotated key still reads its old tasks. And
-- what each provider has at the moment, counted before it is given more.
alter table attempts add column credential text;
create index attempts_open_by_provider on attempts (provider) where outcome is null;
