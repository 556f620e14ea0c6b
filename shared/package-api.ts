import { z } from 'zod';
import { ConnectionKindName } from './connection.ts';
import { SecretGrants } from './secret.ts';

const host = z.union([
  z.literal('*'),
  (SecretGrants.shape.hosts.unwrap() as z.ZodArray<z.ZodString>).element,
]);

/** What the operators of a package may reach, as its package.json declares it. */
export const PackageReach = z.strictObject({
  hosts: z
    .array(host)
    .default([])
    .describe(
      'Hosts that requests may go to: `api.example.com`, `*.example.com`, `http://127.0.0.1:8080`, `*` for all.',
    ),
  connections: z
    .array(ConnectionKindName)
    .default([])
    .describe('Kinds of connections that it may use, as far as they are granted.'),
  files: z.boolean().default(false).describe('Whether it reads and writes the files of its runs.'),
  services: z
    .array(z.enum(['flows', 'models', 'agents', 'code', 'waits']))
    .default([])
    .describe('What else of the server it uses.'),
});
export type PackageReach = z.infer<typeof PackageReach>;

export const PackageProblem = z.object({
  code: z.enum(['package_missing', 'package_invalid', 'package_typescript', 'package_operator']),
  /** Path below the folder of operators, if one file is meant. */
  file: z.string().optional(),
  message: z.string(),
});
export type PackageProblem = z.infer<typeof PackageProblem>;

/** A package of the setting `packages`. */
export const Package = z.object({
  name: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  homepage: z.string().optional(),
  reach: PackageReach,
  /** Types of the operators that it brought. */
  operators: z.array(z.string()),
  problems: z.array(PackageProblem),
});
export type Package = z.infer<typeof Package>;

/** A trigger that starts runs by itself, as it is now. Times are ISO 8601. */
export const Source = z.object({
  flow: z.string(),
  node: z.string(),
  operator: z.string(),
  state: z
    .enum(['listening', 'failed', 'elsewhere'])
    .describe(
      '`failed`: it is started again at `nextTryAt`. `elsewhere`: another server of the same flows listens, or none may.',
    ),
  /** When it was last started. */
  since: z.string().optional(),
  /** When it last worked: looked for items without a failure, or delivered one. */
  lastLookAt: z.string().optional(),
  /** When the last new item arrived. */
  lastItemAt: z.string().optional(),
  /** Runs that it has started since this server began to listen to this version of the flow. */
  started: z.number(),
  /** Failures in sequence. */
  failures: z.number(),
  problem: z.object({ code: z.string(), message: z.string() }).optional(),
  nextTryAt: z.string().optional(),
});
export type Source = z.infer<typeof Source>;
