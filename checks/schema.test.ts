import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useDatabase } from '../proof/kit/scratch-database.ts';
import { describeSchema } from './schema.ts';
import { root } from './tree.ts';

const { db } = await useDatabase();
const described = await describeSchema(db);

const changes: readonly (readonly [what: string, statement: string, told: RegExp])[] = [
  ['a column', 'create table film (id int, title text default $$x$$)', /title text default 'x'/i],
  ['a collation', 'alter table film add code text collate "C"', /code text collate "C"/],
  ['a constraint', 'alter table film add constraint long check (id > 9)', /constraint long CHECK/],
  ['not null', 'alter table film alter id set not null', /id integer not null/],
  ['an index', 'create index by_title on film (title) where id > 3', /INDEX by_title ON film .*3/],
  ['a unique index', 'create unique index one_id on film (id)', /UNIQUE INDEX one_id ON film/],
  ['a foreign key', 'create table copy (of int references film (id))', /REFERENCES film\(id\)/],
  ['a comment', "comment on column film.id is 'unique'", /comment on column film\.id is 'unique'/],
  ['a view', 'create view shelf as select id from film', /create view shelf as/],
  ['a sequence', 'create sequence tickets', /create sequence tickets;/],
  ['an enumeration', "create type mood as enum ('glad', 'sad')", /mood as enum \('glad', 'sad'\)/],
  [
    'a function',
    'create function once() returns trigger language plpgsql as $$ begin return new; end $$',
    /FUNCTION public\.once\(\)/,
  ],
  [
    'a trigger',
    'create trigger guard before update on film for each row execute function once()',
    /TRIGGER guard BEFORE UPDATE ON film/,
  ],
];

for (const [, statement] of changes) await db.query(statement);
const changed = await describeSchema(db);

test('schema.sql is what the migrations create', () => {
  const checkedIn = readFileSync(join(root, 'server/database/schema.sql'), 'utf8');
  assert.equal(checkedIn, described, 'run `npm run schema` and read what changed');
});

for (const [what, , expected] of changes) {
  test(`the description tells of ${what}`, () => {
    assert.doesNotMatch(described, expected);
    assert.match(changed, expected);
  });
}
