import type { QueryKey } from '@tanstack/react-query';
import { type ConnectionKindName, databaseKinds } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import { listAllApps } from '../api/apps.ts';
import { listFolder, listFolders, listMailboxes } from '../api/connections.ts';
import { listConnections, listFlows, loadCatalog } from '../api/flows.ts';
import { listKeys } from '../api/keys.ts';
import { listDocuments, listSpaces } from '../api/knowledge.ts';
import { listModels } from '../api/models.ts';
import { elementOf, membersOf, typeOf } from '../model/expression/source-members.ts';
import type { NameKind } from '../model/form/schema-form.ts';
import type { Named } from '../ui/NamePicker.tsx';
import type { FormModel } from './form-model.ts';
import type { NewKind } from './new-thing.ts';

/** The kinds of things that people name outside of nodes. */
export type ThingKind = NameKind | 'key' | 'operator';

interface Context {
  /** Absent outside of nodes. */
  readonly form: FormModel | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The names in the settings beside it on which it depends. */
  readonly beside: readonly string[];
}

/** A kind of thing that can be named: its noun, and where its names come from. */
export interface NameSource {
  /** `connection`, in the singular. */
  readonly noun: string;
  /** The dialog that makes one; undefined where people make it elsewhere. */
  readonly made?: NewKind;
  /** How to get one where the dialog makes only some of them; shown while there is none. */
  readonly firstOne?: string;
  /** Names that are not listed have a meaning too. */
  readonly isFree?: boolean;
  /** The query of `ask`; kinds that ask for the same list share it. */
  readonly key: QueryKey;
  /** Asks the server for the list; absent where the form itself knows the names. */
  readonly ask?: (beside: readonly string[]) => Promise<unknown>;
  /** The settings on which it depends; they are part of what is asked if `isAskedFor`. */
  readonly beside?: readonly string[];
  readonly isAskedFor?: boolean;
  /** The names to offer; `found` is the answer to `ask`, undefined until it is there. */
  names(found: unknown, context: Context): readonly Named[];
}

function source<T>(
  given: Omit<NameSource, 'names' | 'ask'> & {
    readonly ask?: (beside: readonly string[]) => Promise<T>;
    names(found: T | undefined, context: Context): readonly Named[];
  },
): NameSource {
  return given as NameSource;
}

/** Documents that are offered of each space; any other name can be written. */
const MOST_DOCUMENTS = 500;

/** Everything that a setting can name: where it is listed, and what people call it. */
export const SOURCES: Readonly<Record<ThingKind, NameSource>> = {
  app: source({
    noun: 'app',
    made: 'app',
    key: ['app-names'],
    ask: listAllApps,
    names: (found = []) =>
      found.map(({ app_code: id, app_name: title, app_describe: hint }) => ({ id, title, hint })),
  }),
  connection: source({
    noun: 'connection',
    made: 'connection',
    key: ['connections'],
    ask: listConnections,
    names: (found = [], { form, schema }) =>
      connectionNames(knownConnections(form) ?? found, schema['kinds']),
  }),
  document: source({
    noun: 'document',
    // A name may be known only in a run, or be loaded later.
    isFree: true,
    key: ['document-names'],
    isAskedFor: true,
    beside: ['space', 'spaces'],
    ask: async (spaces) => {
      const all = await listSpaces();
      const wanted = all.filter(({ name }) => spaces.includes(name));
      return Promise.all(
        wanted.map(async ({ id, name }) => ({
          name,
          items: (await listDocuments(id, MOST_DOCUMENTS)).items,
        })),
      );
    },
    names: (found = []) => {
      const byName = new Map<string, Named>();
      for (const { name: space, items } of found)
        for (const { name } of items)
          byName.set(name, { id: name, title: name, hint: found.length > 1 ? space : undefined });
      return [...byName.values()];
    },
  }),
  field: source({
    noun: 'field',
    // What the input has may be known only in a run.
    isFree: true,
    key: ['fields'],
    names: (_, { form }) => fieldsOfInput(form),
  }),
  flow: source({
    noun: 'flow',
    made: 'flow',
    key: ['flows'],
    ask: listFlows,
    names: (found = []) =>
      found.map(({ id, name, version, description }) => ({
        id,
        title: name || id,
        hint: version === undefined ? 'Draft: publish it before it can be called' : description,
      })),
  }),
  'flow-trigger': source({
    noun: 'trigger',
    key: ['flows'],
    ask: listFlows,
    beside: ['flow'],
    names: (found = [], { beside: [flow] }) =>
      (found.find(({ id }) => id === flow)?.triggers ?? []).map(({ node, operator, path }) => ({
        id: node,
        title: node,
        hint: [operator, path].filter(Boolean).join(' '),
      })),
  }),
  'folder-path': source({
    noun: 'path',
    // Files that do not exist yet can be written, and paths may hold expressions.
    isFree: true,
    key: ['folder-paths'],
    isAskedFor: true,
    beside: ['folder'],
    ask: ([folder]) => (folder === undefined ? Promise.resolve([]) : listFolder(folder)),
    names: (found = [], { schema }) =>
      found
        .filter(({ kind }) => schema['wants'] === undefined || kind === schema['wants'])
        .map(({ path, kind }) => ({ id: path, title: path, hint: kind === 'folder' ? 'Folder' : undefined })),
  }),
  key: source({
    noun: 'API key',
    key: ['keys'],
    ask: listKeys,
    names: (found = []) => found.map(({ name }) => ({ id: name, title: name })),
  }),
  mailbox: source({
    noun: 'mailbox',
    made: 'mailbox',
    // The mail server may not be reached while somebody draws, and names may come from the input.
    isFree: true,
    key: ['mailboxes'],
    isAskedFor: true,
    beside: ['connection'],
    ask: ([connection]) => (connection === undefined ? Promise.resolve([]) : listMailboxes(connection)),
    names: (found = []) => found.map(({ name, hint }) => ({ id: name, title: name, hint })),
  }),
  model: source({
    noun: 'model',
    made: 'model provider',
    isFree: true,
    key: ['models'],
    ask: listModels,
    names: (found = [], { schema }) =>
      found
        .filter(({ use }) => use === (schema['use'] ?? 'chat'))
        .map(({ id, default: isDefault }) => ({
          id,
          title: id,
          hint: isDefault ? 'The default one' : undefined,
        })),
  }),
  node: source({
    noun: 'node',
    key: ['flows'],
    names: (_, { form, schema }) => {
      const { operators } = schema;
      const all = form?.nodes?.() ?? [];
      return Array.isArray(operators) ? all.filter(({ operator }) => operators.includes(operator)) : all;
    },
  }),
  operator: source({
    noun: 'operator',
    // Operators of packages that are not installed yet.
    isFree: true,
    key: ['catalog'],
    ask: loadCatalog,
    names: (found) =>
      Object.values(found?.operators ?? {})
        .filter(({ replacedBy }) => !replacedBy)
        .map(({ type: id, title }) => ({ id, title })),
  }),
  space: source({
    noun: 'space',
    made: 'space',
    // A node that loads documents makes the space that it names.
    isFree: true,
    key: ['knowledge-spaces'],
    ask: listSpaces,
    names: (found = []) =>
      found.map(({ name, documents }) => ({
        id: name,
        title: name,
        hint: documents === 1 ? '1 document' : `${documents} documents`,
      })),
  }),
  'state-key': source({
    noun: 'stored value',
    // The first node that names one makes it.
    isFree: true,
    key: ['state-keys'],
    names: (_, { form }) => stateKeys(form),
  }),
  store: source({
    noun: 'folder',
    made: 'connection',
    firstOne:
      'A folder of the server is named in its setting WEFT_FOLDERS, such as reports=/srv/reports; a connection to S3 or SFTP is made here.',
    key: ['folders'],
    ask: listFolders,
    names: (found = []) =>
      found.map(({ name, kind }) => ({
        id: name,
        title: name,
        hint: kind === 'folder' ? 'Folder of the server' : connectionKinds[kind].title,
      })),
  }),
};

interface KnownConnection {
  readonly name: string;
  readonly kind?: ConnectionKindName | undefined;
}

function knownConnections(form: FormModel | undefined): readonly KnownConnection[] | undefined {
  return (
    form?.connections &&
    Object.entries(form.connections).map(([name, { kind }]) => ({
      name,
      kind: kind as ConnectionKindName | undefined,
    }))
  );
}

/** A field that names no kinds takes databases. */
function connectionNames(all: readonly KnownConnection[], kinds: unknown): readonly Named[] {
  const wanted: readonly unknown[] = Array.isArray(kinds) ? kinds : databaseKinds;
  return all
    .filter(({ kind }) => kind === undefined || wanted.includes(kind))
    .map(({ name, kind }) => ({ id: name, title: name, hint: kind && connectionKinds[kind].title }));
}

/** The fields of the input, or of the items of the list that it is. */
function fieldsOfInput(form: FormModel | undefined): readonly Named[] {
  const input = form?.scope?.current().get('input');
  if (!input) return [];
  const value = typeOf(input) === 'array' ? elementOf(input) : input;
  return value
    ? [...membersOf(value)].map(([name, member]) => ({ id: name, title: name, hint: typeOf(member) }))
    : [];
}

/** What the other nodes of the flow store and read under a fixed name. */
function stateKeys(form: FormModel | undefined): readonly Named[] {
  const users = new Map<string, string>();
  for (const { title, operator, params } of form?.nodes?.() ?? []) {
    const key = operator.startsWith('state.') ? params?.['key'] : undefined;
    if (typeof key === 'string' && key !== '' && !users.has(key)) users.set(key, title);
  }
  return [...users].map(([key, title]) => ({ id: key, title: key, hint: `In ${title}` }));
}
