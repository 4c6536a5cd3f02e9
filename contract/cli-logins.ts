/** The login of the command line by a code that a member confirms in the dashboard. */
import { z } from 'zod';
import { keyModes } from './models.ts';
import { secretFormat } from './schema-paths.ts';
import { requiredText } from './text.ts';

const deviceCode = z.string().min(1).max(100).meta({ format: secretFormat });
const code = z.string().describe('What the command line shows: `BCDF-GHJK`.');

export const StartLoginRequest = z
  .strictObject({
    machine: requiredText({ charactersMax: 100 }).describe('The name of the machine.'),
  })
  .meta({ id: 'StartLoginRequest' });
export type StartLoginRequest = z.infer<typeof StartLoginRequest>;

export const StartLoginResponse = z
  .object({
    device_code: deviceCode.describe('Collects the key; keep it secret.'),
    code,
    url: z.string().describe('Where a member confirms the code.'),
    expires_in: z.int().min(1).describe('Seconds.'),
    interval: z.int().min(1).describe('Seconds between two attempts to collect.'),
  })
  .meta({ id: 'StartLoginResponse' });
export type StartLoginResponse = z.infer<typeof StartLoginResponse>;

export const CollectLoginRequest = z
  .strictObject({ device_code: deviceCode })
  .meta({ id: 'CollectLoginRequest' });
export type CollectLoginRequest = z.infer<typeof CollectLoginRequest>;

export const CollectLoginResponse = z
  .object({
    status: z.enum(['waiting', 'confirmed']),
    key: z.string().optional().describe('The API key; only this response contains it.'),
    key_name: z.string().optional(),
    account_name: z.string().optional(),
    mode: z.enum(keyModes).optional(),
  })
  .meta({ id: 'CollectLoginResponse' });
export type CollectLoginResponse = z.infer<typeof CollectLoginResponse>;

export const LoginParams = z.object({ code });

export const WaitingLogin = z
  .object({
    code,
    machine: z.string().describe('The name that the machine gave; not verified.'),
    address: z.string().describe('The IP address of the machine.'),
    is_same_network: z.boolean().describe('Whether the caller comes from the same network.'),
    created_at: z.int().min(0),
    expires_at: z.int().min(0),
  })
  .meta({ id: 'WaitingLogin' });
export type WaitingLogin = z.infer<typeof WaitingLogin>;

export const ConfirmLoginRequest = z
  .strictObject({ code, mode: z.enum(keyModes).describe('Of the key that it gets.') })
  .meta({ id: 'ConfirmLoginRequest' });
export type ConfirmLoginRequest = z.infer<typeof ConfirmLoginRequest>;
