import { z } from 'zod';
import { proxyFields } from '../../proxy-fields.ts';
import { addressFields, mostField, passwordField } from '../../servers.ts';

/** As `ssh-keygen -l` shows it. */
const FINGERPRINT = /SHA256:[A-Za-z0-9+/]{43}/g;

export const settings = z.strictObject({
  ...addressFields(22),
  user: z.string().trim().min(1).max(255).describe('The user to sign in as.'),
  password: passwordField.describe('The password of this user; empty if it signs in with a key.'),
  privateKey: z
    .string()
    .max(65_536)
    .default('')
    .describe('The private key of this user, as ssh-keygen writes it (OpenSSH or PEM).')
    .meta({ format: 'password', widget: 'textarea', title: 'Private key' }),
  passphrase: z
    .string()
    .max(4096)
    .default('')
    .describe('The passphrase of the private key; empty if it has none.')
    .meta({ format: 'password', group: 'Key' }),
  fingerprint: z
    .string()
    .trim()
    .max(2000)
    .regex(
      /^$|SHA256:[A-Za-z0-9+/]{43}/,
      'It is a fingerprint such as SHA256:… with 43 characters, as `ssh-keygen -l` shows it',
    )
    .default('')
    .describe(
      'The fingerprints (SHA256:…) of the keys that the server may show. Without one nothing is sent; the test of the connection shows the one to compare.',
    )
    .meta({ title: 'Fingerprint of the server' }),
  folder: z
    .string()
    .trim()
    .max(500)
    .regex(
      /^(?:~|(?=\/))(?:\/(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]+(?:\/|$))*)?$/u,
      'It is a path such as /srv/files or ~/inbox, without .. and empty parts',
    )
    .default('/')
    .describe(
      'The folder that nodes for files see as the whole, such as /srv/files or ~/inbox; / is everything, ~ the home folder of the user.',
    )
    .meta({ group: 'Files' }),
  timeoutMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .default(60_000)
    .describe('Milliseconds that the server may be silent while files are read or written.')
    .meta({ group: 'Limits' }),
  most: mostField.default(5).meta({ title: 'Most sessions', group: 'Limits' }),
  ...proxyFields,
});

export type SshSettings = z.output<typeof settings>;

/** The fingerprints that the server may show. */
export function fingerprintsOf({ fingerprint }: Pick<SshSettings, 'fingerprint'>): string[] {
  return fingerprint.match(FINGERPRINT) ?? [];
}
