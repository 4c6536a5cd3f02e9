-- A closed person can be invited again under the same email address, as a new person: an address
-- belongs to one open person at most.
create unique index people_open_email on people (email_key) where closed_at is null;
alter table people drop constraint people_email_key_key;

-- Wrong passwords given with a link. A link that has seen too many no longer works, so that its
-- maker cannot try email addresses with it.
alter table links add column failed_uses integer not null default 0 check (failed_uses >= 0);
