import { z } from 'zod';
import { proxyFields } from '../../proxy-fields.ts';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:(?!\.{1,2}(?:\/|$))[^/\p{Cc}]+(?:\/|$))*$/u;

/** The location of a bucket, and the credentials for it. */
export const settings = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/, error: 'It is an address such as https://s3.eu-central-1.amazonaws.com.' })
    .max(500)
    .refine((text) => /^[a-z]+:\/\/[^/?#@]+\/?$/i.test(text), 'It is an address without a path or user.')
    .describe(
      'The address of the service, such as https://s3.eu-central-1.amazonaws.com. Private addresses are allowed once saved.',
    ),
  region: z
    .string()
    .trim()
    .regex(/^[a-zA-Z0-9-]{1,64}$/, 'It is a name such as eu-central-1.')
    .default('us-east-1')
    .describe('Where the bucket is; many services other than AWS take any.'),
  bucket: z
    .string()
    .trim()
    .regex(BUCKET, 'It has 3 to 63 characters: a-z, 0-9, points and hyphens.')
    .describe('The name of the bucket.'),
  prefix: z
    .string()
    .max(500)
    .regex(PREFIX, 'It is a path such as reports/2026, without .. and empty parts.')
    .default('')
    .describe('The folder in the bucket that flows see as the whole, such as weft/files; empty: the bucket.')
    .meta({ group: 'Place' }),
  accessKey: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, 'It has no spaces.')
    .describe('The id of the access key.'),
  secretKey: z
    .string()
    .max(4096)
    .default('')
    .describe('The secret of the access key.')
    .meta({ format: 'password' }),
  addressing: z
    .enum(['path', 'virtual-host'])
    .default('path')
    .describe('Where the bucket is named. path: https://host/bucket. virtual-host: https://bucket.host.')
    .meta({ group: 'Place', labels: { path: 'In the path', 'virtual-host': 'In the host' } }),
  timeoutMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .default(60_000)
    .describe('Milliseconds that a request may take; of a download: that may pass without a byte.')
    .meta({ group: 'Limits' }),
  ...proxyFields,
});

export type S3Settings = z.output<typeof settings>;

/** The host, with the name of the bucket if that is part of the host. */
export function addressOf({ endpoint, addressing, bucket }: S3Settings): URL {
  const address = new URL(endpoint);
  if (addressing === 'virtual-host') address.hostname = `${bucket}.${address.hostname}`;
  return address;
}
