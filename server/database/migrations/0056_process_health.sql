-- What each process knows of its providers: breakers, counts and response times.
alter table processes add column health jsonb not null default '[]'
  constraint processes_health_check check (jsonb_typeof(health) = 'array');
