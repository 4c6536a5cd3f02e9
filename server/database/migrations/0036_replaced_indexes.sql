-- `tasks_refund_failures` and `ledger_by_mode` serve what these did.
drop index tasks_refund_failed;
drop index ledger_by_account;
