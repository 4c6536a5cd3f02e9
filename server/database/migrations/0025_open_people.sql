-- concurrently
-- A closed person can be invited again under the same email address, as a new person: an address
-- belongs to one open person at most.
create unique index concurrently people_open_email on people (email_key) where closed_at is null;
