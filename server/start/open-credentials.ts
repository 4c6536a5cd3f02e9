/** Opens the keys that results are signed with; the first start of an installation makes them. */
import type { Config } from '../config/config.ts';
import { readBoughtSigner } from '../credentials/bought-signer.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { SigningKeys } from '../credentials/signing-keys.ts';
import { createSealer } from '../crypto/seal.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../telemetry/log.ts';

export async function openCredentials(options: {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  /** 256 bits of the installation, for nothing else. */
  readonly sealingKey: Buffer;
}) {
  const { config, db, log, sealingKey } = options;
  const installation = config.publicUrl === null ? 'vidgen' : new URL(config.publicUrl).hostname;
  const bought = config.boughtSigner && readBoughtSigner(config.boughtSigner);
  const sealer = createSealer(sealingKey);
  const keys = new SigningKeys({ db, log, sealer, organization: installation, bought });
  await db.transaction((tx) => keys.prepare(tx));
  await keys.start();
  return { keys, credentials: createCredentials({ keys, installation, log }) };
}
