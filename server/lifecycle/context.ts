/** What every stage of a task's life works with: the rooms, put together once at the start. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/egress.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../providers/registry.ts';
import type { Storage } from '../storage/storage.ts';
import type { AddressOf } from '../tasks/view.ts';

export type LifecycleSettings = {
  readonly taskTimeoutSeconds: number;
  readonly resultLifeSeconds: number;
  readonly webhookGapsSeconds: readonly number[];
  /** The base of addresses an upstream may call back; null when nobody outside can reach us. */
  readonly callbackBase: string | null;
  /** Where downloads are put before they are stored. */
  readonly scratchFolder: string;
};

export type Lifecycle = {
  readonly db: Database;
  readonly log: Log;
  readonly catalogue: Catalogue;
  readonly providers: Registry;
  readonly egress: Egress;
  readonly storage: Storage;
  readonly addressOf: AddressOf;
  readonly settings: LifecycleSettings;
};

/** Said when a task's status has changed; heard by whoever waits for it (`?wait=`). */
export const taskChannel = 'vidgen_tasks';
