-- `tasks_refund_failures` has its rows too.
drop index tasks_refund_failed;
