-- concurrently
-- For the rows of a vendor's bill, which name operations.
create index concurrently attempts_by_operation on attempts (provider, operation)
  where (operation is not null);
