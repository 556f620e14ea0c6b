import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { type ConnectionKindName, databaseKinds } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import type { Path } from '#engine/check';
import { listApps } from '../api/apps.ts';
import { listFolder, listFolders } from '../api/connections.ts';
import { listConnections, listFlows } from '../api/flows.ts';
import { listSpaces } from '../api/knowledge.ts';
import { listModels } from '../api/models.ts';
import type { NameKind } from '../model/form/schema-form.ts';
import type { Named } from '../ui/NamePicker.tsx';
import { type NewKind, useForm } from './form-context.tsx';
import type { FormModel } from './form-model.ts';

interface Context {
  readonly form: FormModel;
  readonly schema: Readonly<Record<string, unknown>>;
  /** What the setting beside it names, on which it depends. */
  readonly beside: unknown;
}

interface Source {
  /** `connection`, in the singular. */
  readonly noun: string;
  /** What makes one; undefined where people make it elsewhere. */
  readonly made?: NewKind;
  /** Names that are not listed have a meaning too. */
  readonly isFree?: boolean;
  readonly key: QueryKey;
  readonly ask?: (beside: string) => Promise<unknown>;
  /** The setting on which it depends, as a part of what is asked. */
  readonly beside?: string;
  /** What is found differs with it. */
  readonly isAskedFor?: boolean;
  names(found: unknown, context: Context): readonly Named[];
}

function source<T>(
  given: Omit<Source, 'names' | 'ask'> & {
    readonly ask?: (beside: string) => Promise<T>;
    names(found: T | undefined, context: Context): readonly Named[];
  },
): Source {
  return given as Source;
}

/** Everything that a setting can name: where it is listed, and what people call it. */
export const SOURCES: Readonly<Record<NameKind, Source>> = {
  app: source({
    noun: 'app',
    made: 'app',
    key: ['app-names'],
    ask: () => listApps(1),
    names: (found) =>
      (found?.app_list ?? []).map(({ app_code: id, app_name: title, app_describe: hint }) => ({
        id,
        title,
        hint,
      })),
  }),
  connection: source({
    noun: 'connection',
    made: 'connection',
    key: ['connections'],
    ask: listConnections,
    names: (found = [], { form, schema }) =>
      connectionNames(knownConnections(form) ?? found, schema['kinds']),
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
    beside: 'flow',
    names: (found = [], { beside }) =>
      (found.find(({ id }) => id === beside)?.triggers ?? []).map(({ node, operator, path }) => ({
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
    beside: 'folder',
    ask: (folder) => (folder === '' ? Promise.resolve([]) : listFolder(folder)),
    names: (found = [], { schema }) =>
      found
        .filter(({ kind }) => schema['wants'] === undefined || kind === schema['wants'])
        .map(({ path, kind }) => ({ id: path, title: path, hint: kind === 'folder' ? 'Folder' : undefined })),
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
      const all = form.nodes?.() ?? [];
      return Array.isArray(operators) ? all.filter(({ operator }) => operators.includes(operator)) : all;
    },
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
  store: source({
    noun: 'folder',
    made: 'connection',
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

function knownConnections({ connections }: FormModel): readonly KnownConnection[] | undefined {
  return (
    connections &&
    Object.entries(connections).map(([name, { kind }]) => ({
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

export interface Names {
  readonly names: readonly Named[];
  readonly isLoading: boolean;
  readonly error: string | undefined;
}

/** What a setting can name, read when its field is shown. */
export function useNames(of: NameKind, schema: Readonly<Record<string, unknown>>, path: Path): Names {
  const form = useForm();
  const { key, ask, names, beside: sibling, isAskedFor } = SOURCES[of];
  const at = [...path.slice(0, -1), sibling ?? ''];
  const beside = useSyncExternalStore(form.subscribe, () =>
    sibling === undefined ? undefined : form.get(at),
  );
  const asked = typeof beside === 'string' ? beside : '';
  const { data, isLoading, error } = useQuery({
    queryKey: isAskedFor === true ? [...key, asked] : key,
    queryFn: () => ask?.(asked) ?? Promise.resolve(null),
    enabled: ask !== undefined && !(of === 'connection' && form.connections !== undefined),
  });
  const listed = useMemo(
    () => names(data ?? undefined, { form, schema, beside }),
    [names, data, form, schema, beside],
  );
  return { names: listed, isLoading, error: error?.message };
}
