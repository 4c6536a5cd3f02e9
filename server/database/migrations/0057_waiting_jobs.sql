-- The places that a submit waits for, a provider and a model each, until one of them has room.
-- Without it, each job that waited had to look again every second.
alter table jobs add column waits_for text[];
