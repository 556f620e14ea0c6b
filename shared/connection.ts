import { z } from 'zod';
import { connectionKinds } from './connection-kinds.ts';
import { rateFields } from './rate.ts';
import { lackingGrant } from './secret.ts';

type Kinds = typeof connectionKinds;
/** Where a connection leads. */
export const ConnectionKindName = z.enum(Object.keys(connectionKinds) as (keyof Kinds)[]);
export type ConnectionKindName = z.infer<typeof ConnectionKindName>;

/** Kinds that every server knows, whatever formats of flows it reads: those of 0.2. */
const FIRST_KINDS: readonly ConnectionKindName[] = ['postgres', 'mysql', 'sqlite', 's3', 'http'];
/** The format of flows that servers read which know the kind. An older one refuses all connections because of it. */
export const formatWith = (kind: ConnectionKindName): number => (FIRST_KINDS.includes(kind) ? 1 : 2);

/** What connections of a kind are used for: SQL, files, requests over HTTP, or actions of its own operators. */
export type KindUse = 'sql' | 'files' | 'http' | 'actions';
export type KindFor<U extends KindUse> = {
  [K in keyof Kinds]: Kinds[K] extends { readonly use: U } | { readonly also: U } ? K : never;
}[keyof Kinds];

export function isKindFor<U extends KindUse>(use: U, kind: ConnectionKindName): kind is KindFor<U> {
  const its: { readonly use: KindUse; readonly also?: KindUse } = connectionKinds[kind];
  return its.use === use || its.also === use;
}

/** The kinds for a use. */
export function kindsFor<U extends KindUse>(use: U): KindFor<U>[] {
  return ConnectionKindName.options.filter((kind) => isKindFor(use, kind));
}

export type DatabaseKind = KindFor<'sql'>;
export const databaseKinds = kindsFor('sql');

export function isDatabase(kind: ConnectionKindName): kind is DatabaseKind {
  return isKindFor('sql', kind);
}

/**
 * Who may use a connection. A list that is there names all who may; one that is not does not restrict. Without any list
 * nobody may.
 */
export const ConnectionGrants = z.strictObject({
  /** Ids of flows. */
  flows: z.array(z.string().min(1)).optional(),
  /** Types of operators, such as `sql.query`. */
  operators: z.array(z.string().min(1)).optional(),
  /** Unpublished flows may use it too, whoever wrote or started them. */
  drafts: z.boolean().optional(),
  /** Questions may be asked of it (`sql.ask`, `chat_data`) although its user could change something. */
  writers: z.boolean().optional(),
});
export type ConnectionGrants = z.infer<typeof ConnectionGrants>;

/** What the grants lack for a use, to follow "is not granted"; undefined if they allow it. */
export function lackingConnectionGrant(
  { flows, operators }: ConnectionGrants,
  use: { readonly flow: string; readonly operator: string },
): string | undefined {
  return lackingGrant({ flows, operators }, use);
}

/** How often flows may use a connection, all of them together: `limit` uses in each period on average, `burst` at once. */
export const ConnectionRate = z.strictObject(rateFields);
export type ConnectionRate = z.output<typeof ConnectionRate>;

/** Creates or changes a connection. Hidden settings, such as passwords, that are left out stay as they are. */
export const ConnectionBody = z.strictObject({
  kind: ConnectionKindName,
  /** By the schema of the kind. */
  settings: z.record(z.string(), z.unknown()),
  grants: ConnectionGrants.optional(),
  /** What the data are, for people; left out it stays as it is. */
  description: z.string().max(10_000).optional(),
  /** Left out it stays as it is; null: no limit. */
  rate: ConnectionRate.nullable().optional(),
});
export type ConnectionBody = z.infer<typeof ConnectionBody>;

/** How a connection stands that people sign in to (OAuth2). */
export const ConnectionAccount = z.object({
  /** `none`: nobody has signed in yet. `lost`: only a new sign-in helps. `own`: it signs in by itself. */
  state: z.enum(['none', 'connected', 'lost', 'own']),
  /** The account; absent if the provider does not say. */
  name: z.string().optional(),
  /** The provider, such as Google. */
  provider: z.string(),
  /** What flows may do there, in words; a scope that is not known stays as it is. */
  may: z.array(z.string()),
  /** What is wanted and was not granted, in the same words. */
  lacking: z.array(z.string()),
  connectedAt: z.iso.datetime().optional(),
  /** Why only a new sign-in helps. */
  problem: z.string().optional(),
});
export type ConnectionAccount = z.infer<typeof ConnectionAccount>;

/** All that is ever shown of a connection: hidden settings are not. */
export const ConnectionInfo = z.object({
  name: z.string(),
  kind: ConnectionKindName,
  /** Without hidden ones. */
  settings: z.record(z.string(), z.unknown()),
  /** Names of the hidden settings that are set. */
  hidden: z.array(z.string()),
  grants: ConnectionGrants,
  description: z.string().optional(),
  /** Absent if there is no limit. */
  rate: ConnectionRate.optional(),
  updatedAt: z.iso.datetime(),
  /** Why it cannot be used; absent if it can. */
  broken: z.string().optional(),
  /** Ids of the flows that name it. */
  usedBy: z.array(z.string()),
  /** How it stands, if people sign in to it. */
  account: ConnectionAccount.optional(),
});
export type ConnectionInfo = z.infer<typeof ConnectionInfo>;

/**
 * By setting, which changes decide neither where hidden settings go nor how they travel: any; one within the origin of an address;
 * one to a later value of the list.
 */
export const HarmlessChanges = z.record(
  z.string(),
  z.union([z.enum(['any', 'same-origin']), z.array(z.string()).readonly()]),
);
export type HarmlessChanges = Readonly<z.infer<typeof HarmlessChanges>>;

/** A kind of connection, for forms. */
export const ConnectionKind = z.object({
  kind: ConnectionKindName,
  title: z.string(),
  doc: z.string(),
  /** JSON Schema of the settings; those with `format: password` are hidden. */
  settings: z.record(z.string(), z.unknown()),
  /** After any other change hidden settings have to be given again. */
  harmless: HarmlessChanges,
});
export type ConnectionKind = z.infer<typeof ConnectionKind>;

/** The settings whose change makes hidden ones go elsewhere, or travel in another way, than when they were given. */
export function riskyChanges(
  harmless: HarmlessChanges,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => {
    const [earlier, later] = [before[field], after[field]];
    const rule = harmless[field];
    if (JSON.stringify(earlier) === JSON.stringify(later) || rule === 'any') return false;
    if (rule === undefined) return true;
    if (rule === 'same-origin') return originOf(earlier) !== originOf(later);
    return !(rule.includes(String(later)) && rule.indexOf(String(later)) > rule.indexOf(String(earlier)));
  });
}

/** The origin of an address without a user; anything else as it is. */
function originOf(place: unknown): unknown {
  const [origin] = /^https?:\/\/[^/?#@\\\s]+(?=[/?#]|$)/i.exec(String(place)) ?? [];
  const isDefault = /^(?:https:.*(?=:443$)|http:.*(?=:80$))/;
  const named = origin?.toLowerCase();
  return named === undefined ? place : (isDefault.exec(named)?.[0] ?? named);
}

/** The result of testing a connection. */
export const ConnectionTest = z.object({
  ok: z.boolean(),
  /** What answered: the server and its version. */
  about: z.string().optional(),
  /** What its user may do besides reading; empty for one that is safe to ask questions of. Absent if that is unknown. */
  writes: z.array(z.string()).optional(),
  /** From the first byte to the answer, in milliseconds. */
  ms: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** A table or view that a connection can see. */
export const ConnectionTable = z.object({
  /** Its schema or database; absent where there is only one. */
  schema: z.string().optional(),
  name: z.string(),
  view: z.boolean(),
  columns: z.array(
    z.object({
      name: z.string(),
      /** In the words of the server. */
      type: z.string(),
      nullable: z.boolean(),
      /** Part of the primary key. */
      key: z.boolean(),
    }),
  ),
});
export type ConnectionTable = z.infer<typeof ConnectionTable>;

export const ConnectionTables = z.object({
  tables: z.array(ConnectionTable),
  /** There are more tables or columns than are listed. */
  more: z.boolean(),
  /** What stands around a name that is not plain in a statement. */
  quote: z.enum(['"', '`']),
});
export type ConnectionTables = z.infer<typeof ConnectionTables>;

/** What is behind a connection and has a name, such as a mailbox. */
export const ConnectionName = z.object({
  name: z.string(),
  /** What it is, in a few words. */
  hint: z.string().optional(),
});
export type ConnectionName = z.infer<typeof ConnectionName>;
export const ConnectionNames = z.object({
  names: z.array(ConnectionName),
  /** There are more than are listed. */
  more: z.boolean(),
});
export type ConnectionNames = z.infer<typeof ConnectionNames>;
/** The kinds of things whose names a connection can list. */
export const ConnectionNamesOf = z.enum(['mailbox']);
export type ConnectionNamesOf = z.infer<typeof ConnectionNamesOf>;

/** What a node for files may name as its folder: a folder of the server, or a connection to files. */
export const FileStoreName = z.object({
  name: z.string(),
  kind: z.enum(['folder', ...kindsFor('files')]),
});
/** What a folder has, by its path below the folder. */
export const FolderPath = z.object({ path: z.string(), kind: z.enum(['file', 'folder']) });
export type FolderPath = z.infer<typeof FolderPath>;

export type FileStoreName = z.infer<typeof FileStoreName>;
