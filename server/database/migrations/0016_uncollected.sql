-- How often a finished video could not be fetched: counted by itself, since a look that was not
-- answered before says nothing about the video.
alter table attempts add column uncollected integer not null default 0;
