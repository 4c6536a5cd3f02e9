/** Extension: content credentials of results, and their verification. */
import { z } from 'zod';

const credentialStates = ['signed', 'kept', 'unsigned'] as const;
const verifyStates = ['valid', 'altered', 'unsigned', 'other_signer'] as const;

const text = (description: string) => z.string().nullable().describe(description);
const at = (description: string) => z.int().nullable().describe(`${description}: Unix seconds.`);

export const VerifyRequest = z
  .strictObject({
    id: z.string().optional().describe('A task of this installation: its video is verified.'),
    url: z.string().optional().describe('The URL of a result of this installation.'),
  })
  .meta({ id: 'VerifyRequest' });

const Claims = z
  .object({
    generator: text('The program that wrote the manifest.'),
    title: text('Of the file.'),
    source_type: text('How the media came to be, such as `trainedAlgorithmicMedia`.'),
    installation: text('The service that signed it, if it runs vidgen.'),
    task_sha256: text('The SHA-256 of the ID of its task, in hex.'),
  })
  .describe('What the manifest claims. Of another signer nothing of it was verified.');

export const VerifyResponse = z
  .object({
    made_here: z.boolean().describe('Signed by this installation, and not altered since.'),
    state: z
      .enum(verifyStates)
      .describe(
        '- `valid`: signed here, and no byte was changed.\n' +
          '- `altered`: signed here, and changed since.\n' +
          '- `unsigned`: no content credentials were found; they are easily removed.\n' +
          '- `other_signer`: signed by another signer, which is not verified here.',
      ),
    model: text('The model that made it, if it was signed here.'),
    signed_at: at('When its generation began, if it was signed here'),
    claims: Claims.nullable().describe('Null if there is no manifest that can be read.'),
  })
  .meta({ id: 'Verification' });
export type VerifyResponse = z.infer<typeof VerifyResponse>;

export const ContentCredentials = z
  .object({
    state: z
      .enum(credentialStates)
      .describe(
        '`signed` here, `kept` as the provider signed it, or `unsigned` for the reason in ' +
          '`detail`.',
      ),
    detail: text('Why it is unsigned.'),
  })
  .meta({ id: 'ContentCredentials' });
export type ContentCredentials = z.infer<typeof ContentCredentials>;

export const TaskCredentialsResponse = z
  .object({
    task_id: z.string(),
    verification: VerifyResponse,
    assertions: z
      .record(z.string(), z.unknown())
      .describe('Of the manifest in the video, by label; bytes are in base64.'),
    certificates: z
      .array(z.string())
      .describe('Of signers of this installation and of their authority, in PEM.'),
  })
  .meta({ id: 'TaskCredentials' });
export type TaskCredentialsResponse = z.infer<typeof TaskCredentialsResponse>;

const SigningCertificate = z
  .object({
    id: z.string().describe('The SHA-256 of the certificate, in hex.'),
    kind: z
      .enum(['authority', 'signer', 'bought'])
      .describe('`bought`: of VIDGEN_C2PA_CERT. The authority certifies the signers.'),
    subject: z.string(),
    certificate: z.string().describe('In PEM.'),
    created_at: z.int().describe('Unix seconds.'),
    ends_at: at('When validators stop to accept new signatures'),
    retired_at: at('Since when nothing is signed with it; null if it is in use'),
    signs: z.boolean().describe('Whether results are signed with it now.'),
  })
  .meta({ id: 'SigningCertificate' });

export const SigningKeysResponse = z
  .object({
    items: z.array(SigningCertificate).describe('Newest first.'),
    next_cursor: z.null(),
    can_rotate: z.boolean().describe('False while VIDGEN_C2PA_CERT is set.'),
  })
  .meta({ id: 'SigningKeys' });
export type SigningKeysResponse = z.infer<typeof SigningKeysResponse>;
