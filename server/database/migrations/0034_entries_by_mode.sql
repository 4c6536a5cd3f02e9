-- concurrently
-- An account that rarely uses a mode finds its entries without reading those of the other mode.
create index concurrently ledger_by_mode on ledger_entries (account_id, mode, id desc);
