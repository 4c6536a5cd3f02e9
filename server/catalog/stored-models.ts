/** Models that were declared in the dashboard. Each change notifies every process. */
import { invalidRequest, notFound } from '@vidgen/contract/api-error.ts';
import { type DeclaredModel, ModelDeclaration } from '@vidgen/contract/model-declaration.ts';
import type { ModelName } from '@vidgen/contract/models.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { FollowedRows } from '../database/followed-rows.ts';
import type { Log } from '../telemetry/log.ts';
import type { Catalog } from './catalog.ts';

const modelsChannel = 'vidgen_models';

/** Keeps the catalog of this process equal to the database. */
export class StoredModels {
  readonly #rows: FollowedRows;
  readonly #deps: { readonly db: Database; readonly log: Log };
  #stop = async (): Promise<void> => {};
  #readText = '';

  constructor(deps: { readonly db: Database; readonly log: Log; readonly catalog: Catalog }) {
    this.#deps = deps;
    this.#rows = new FollowedRows(async () => {
      const stored = await readModels(deps.db);
      const text = JSON.stringify(stored);
      if (text === this.#readText) return;
      deps.catalog.setStored(Object.fromEntries(Object.entries(stored).filter(this.#isValid)));
      this.#readText = text;
    });
  }

  refresh(): Promise<void> {
    return this.#rows.refresh();
  }

  async start(): Promise<void> {
    const { db, log } = this.#deps;
    this.#stop = await this.#rows.follow(db, {
      channel: modelsChannel,
      onError: (error) => log.warn({ error }, 'models not read, retrying'),
    });
  }

  async close(): Promise<void> {
    await this.#stop();
  }

  /** A newer version may have stored what this one does not know. */
  readonly #isValid = ([name, declaration]: readonly [string, DeclaredModel]): boolean => {
    const { error } = ModelDeclaration.safeParse(declaration);
    if (error) this.#deps.log.error({ model: name, error }, 'stored model not usable');
    return !error;
  };
}

async function readModels(db: Queryable): Promise<Record<ModelName, DeclaredModel>> {
  const { rows } = await db.query<{ name: ModelName; declaration: DeclaredModel }>(
    'select name, declaration from models order by name',
  );
  return Object.fromEntries(rows.map(({ name, declaration }) => [name, declaration]));
}

type NewModel = {
  readonly name: ModelName;
  readonly declaration: DeclaredModel;
  readonly createdBy: string;
};

export async function insertModel(tx: Transaction, model: NewModel): Promise<void> {
  const { name, declaration, createdBy } = model;
  const { rowCount } = await tx.query(
    `insert into models (name, declaration, created_by) values ($1, $2::jsonb, $3)
     on conflict (name) do nothing`,
    [name, JSON.stringify(declaration), createdBy],
  );
  if (rowCount === 0) throw invalidRequest(`The model ${name} exists already.`);
  await notify(tx);
}

/** Locks the model. Throws `not_found` if it is not declared in the dashboard. */
export async function requireModel(tx: Transaction, name: string): Promise<DeclaredModel> {
  const { rows } = await tx.query<{ declaration: DeclaredModel }>(
    'select declaration from models where name = $1 for update',
    [name],
  );
  if (rows[0]) return rows[0].declaration;
  throw notFound('No model with this name is declared in the dashboard.');
}

export async function updateModel(
  tx: Transaction,
  { name, declaration }: Omit<NewModel, 'createdBy'>,
): Promise<void> {
  await tx.query('update models set declaration = $2::jsonb, changed_at = now() where name = $1', [
    name,
    JSON.stringify(declaration),
  ]);
  await notify(tx);
}

export async function deleteModel(tx: Transaction, name: string): Promise<void> {
  await requireModel(tx, name);
  await tx.query('delete from models where name = $1', [name]);
  await notify(tx);
}

async function notify(tx: Transaction): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [modelsChannel, '']);
}
