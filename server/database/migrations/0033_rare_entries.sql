-- concurrently
-- Kinds that are rare among reservations and charges, so that a statement of one kind does not read
-- the whole history of the account.
create index concurrently ledger_rare_entries on ledger_entries (account_id, mode, kind, id desc)
  where kind in ('grant', 'refund', 'suspend', 'release');
