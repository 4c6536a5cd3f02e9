-- What a provider refused of a task whose content it refused, where it tells: a part of what the
-- customer sent, or the video that came of it. It decides what the customer is advised to change.
alter table tasks add column refused_part text
  check (refused_part in ('prompt', 'material', 'input', 'output'));
alter table tasks add constraint tasks_refused_part_of_refused
  check (refused_part is null or failed_reason = 'provider_rejected');
