#!/bin/sh
# For deploy/compose.yaml, when the database is created: a role for vidgen that owns its database and
# is no superuser.
set -eu
psql --set ON_ERROR_STOP=1 --set "password=$SERVICE_PASSWORD" --username postgres <<'SQL'
create role vidgen login password :'password';
create database vidgen owner vidgen;
SQL
