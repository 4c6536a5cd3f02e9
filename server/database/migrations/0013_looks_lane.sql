-- Looks at generations get a lane of their own: they are many and mostly wait for their turn at a
-- provider, and must neither hold up what is to be submitted nor be held up by it. A process of the
-- release before leaves its looks in the old lane, where they are done all the same.
alter table jobs drop constraint jobs_lane_check;
alter table jobs add constraint jobs_lane_check check (lane in ('work', 'looks', 'calls'));
update jobs set lane = 'looks' where kind = 'poll';
