import {
  type ConnectionBody,
  type ConnectionGrants,
  type ConnectionInfo,
  type ConnectionKind,
  ConnectionKindName,
  type ConnectionRate,
  riskyChanges,
} from '#shared/connection.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { type FormModel, NO_PROBLEMS, valueAt, withValueAt } from '../form/form-model.ts';
import { createFormView } from '../form/form-view.ts';
import { type FormField, faultOf, settingFields as fieldsOf } from '../model/form/schema-form.ts';

/** The typed fields of a connection besides its settings. */
export interface ConnectionDraft {
  readonly name: string;
  readonly kind: ConnectionKindName;
  /** Names separated by commas. */
  readonly flows: string;
  readonly operators: string;
  readonly drafts: boolean;
  /** Whole numbers; an empty limit is none. */
  readonly limit: string;
  readonly per: ConnectionRate['per'];
  readonly burst: string;
}

export function draftOf(
  connection: ConnectionInfo | undefined,
  kinds: readonly ConnectionKind[],
  /** Proposed for a new one. */
  proposed: ConnectionGrants = {},
): ConnectionDraft {
  const {
    name = '',
    kind = kinds[0]?.kind ?? (ConnectionKindName.options[0] as ConnectionKindName),
    grants = proposed,
    rate,
  }: Partial<ConnectionInfo> = connection ?? {};
  const { flows = [], operators = [], drafts = false } = grants;
  return {
    name,
    kind,
    flows: flows.join(', '),
    operators: operators.join(', '),
    drafts,
    ...typedRate(rate),
  };
}

export function typedRate({ limit, per = 'minute', burst }: Partial<ConnectionRate> = {}) {
  return { limit: String(limit ?? ''), per, burst: String(burst ?? '') };
}

/** The rate limit that is typed; null for none. */
export function rateOf({ limit, per, burst }: ConnectionDraft): ConnectionRate | null {
  if (limit.trim() === '') return null;
  return { limit: Number(limit), per, ...(burst.trim() !== '' && { burst: Number(burst) }) };
}

/** The fault of a number of a rate limit; undefined if it is fine. */
export function countFault(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  return /^\s*[1-9]\d{0,4}\s*$|^\s*100000\s*$/.test(text) ? undefined : 'A whole number from 1 to 100000.';
}

/** The names in a text, separated by commas. */
export function namesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** An unchanged list stays as it is: an empty one allows nobody, while a missing one does not restrict. */
export function grantsOf(draft: ConnectionDraft, before: ConnectionGrants): ConnectionGrants {
  const list = (key: 'flows' | 'operators') => {
    if (draft[key] === (before[key] ?? []).join(', ')) return before[key];
    const names = namesIn(draft[key]);
    return names.length > 0 ? [...new Set(names)] : undefined;
  };
  const [flows, operators] = [list('flows'), list('operators')];
  return {
    ...(flows && { flows }),
    ...(operators && { operators }),
    ...(draft.drafts && { drafts: true }),
  };
}

export function bodyOf(
  draft: ConnectionDraft,
  settings: Readonly<Record<string, unknown>>,
  before: ConnectionInfo | undefined,
): ConnectionBody {
  return {
    kind: draft.kind,
    settings,
    grants: grantsOf(draft, before?.grants ?? {}),
    rate: rateOf(draft),
  };
}

export function nameFault(name: string, all: readonly ConnectionInfo[]): string | undefined {
  if (name === '') return undefined;
  if (!ID_PATTERN.test(name)) return 'A lower-case letter, then a-z, 0-9 and _ (at most 64).';
  return all.some((one) => one.name === name) ? 'A connection with this name already exists.' : undefined;
}

/**
 * The fields of the settings. Hidden settings that are set say so, since they are not shown, and whether they stay: after a change of
 * where they go they have to be given again.
 */
export function settingFields(
  { kind, settings: schema, harmless }: ConnectionKind,
  connection: ConnectionInfo | undefined,
  settings: Readonly<Record<string, unknown>>,
): readonly FormField[] {
  const fields = fieldsOf(schema);
  if (connection?.kind !== kind) return fields;
  const shown = fields.filter(({ name }) => !connection.hidden.includes(name));
  const now = Object.fromEntries(
    shown.flatMap(({ name, defaultValue }) => {
      const value = settings[name] ?? defaultValue;
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const before = Object.fromEntries(
    Object.entries(connection.settings).filter(([name]) => shown.some((field) => field.name === name)),
  );
  const changed = riskyChanges(harmless, before, now);
  const titles = shown.flatMap(({ name, title }) => (changed.includes(name) ? [title] : []));
  return fields.map((field) => {
    if (!connection.hidden.includes(field.name)) return field;
    // What is stored is shown, since it may have to be entered again.
    const stored = { ...field, group: undefined };
    if (titles.length === 0) return { ...stored, required: false, doc: 'Stored. Empty: it stays as it is.' };
    return { ...stored, required: true, defaultValue: undefined, doc: againWords(titles) };
  });
}

function againWords(titles: readonly string[]): string {
  return `Enter it again: ${titles.join(', ')} changed, and a stored value is used only with the settings it was entered for.`;
}

/** Whether all settings are there and fit. */
export function isComplete(
  fields: readonly FormField[],
  settings: Readonly<Record<string, unknown>>,
): boolean {
  return fields.every((field) => {
    const value = settings[field.name];
    if (value === undefined) return !field.required || field.defaultValue !== undefined;
    return faultOf(field, value) === undefined;
  });
}

/** The settings of a connection as its form begins: options that are as they are by default are left out, so that they are not shown. */
export function shownSettings(
  kind: ConnectionKind | undefined,
  { settings }: Pick<ConnectionInfo, 'settings'>,
): Readonly<Record<string, unknown>> {
  const options = kind ? fieldsOf(kind.settings).filter(({ group }) => group !== undefined) : [];
  const isDefault = ([name, value]: [string, unknown]): boolean =>
    options.some((field) => field.name === name && field.defaultValue === value);
  return Object.fromEntries(Object.entries(settings).filter((entry) => !isDefault(entry)));
}

/** The settings as a form edits them. */
export function settingsForm(initial: Readonly<Record<string, unknown>>): FormModel & {
  current(): Readonly<Record<string, unknown>>;
} {
  let value: unknown = initial;
  const listeners = new Set<() => void>();
  return {
    current: () => value as Readonly<Record<string, unknown>>,
    get: (path) => valueAt(value, path),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(path, next) {
      value = withValueAt(value, path, next);
      for (const listener of listeners) listener();
    },
    problemsAt: () => NO_PROBLEMS,
    drafts: new Map(),
    view: createFormView(false),
    showsHelp: true,
  };
}
