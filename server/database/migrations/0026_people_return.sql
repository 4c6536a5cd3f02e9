alter table people drop constraint people_email_key_key;

-- Wrong passwords given with a link. A link that has seen too many no longer works, so that its
-- maker cannot try email addresses with it.
alter table links add column failed_uses integer not null default 0 check (failed_uses >= 0);
