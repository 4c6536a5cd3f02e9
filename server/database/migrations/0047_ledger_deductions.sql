-- concurrently
-- As `ledger_rare_entries`, for the kind that was added later.
create index concurrently ledger_deductions on ledger_entries (account_id, mode, kind, id desc)
  where kind = 'deduct';
