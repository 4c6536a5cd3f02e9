-- Which file a cost with the source `bill` is from: the first digits of its SHA-256.
alter table attempts add column cost_bill text;
