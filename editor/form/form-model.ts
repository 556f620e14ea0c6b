import type { Described } from '#shared/described.ts';
import type { Fix, Problem } from '#shared/problem.ts';
import type { Path } from '#engine/check';
import type { FormView } from './form-view.ts';
import type { ExpressionScope } from '../model/expression/expression-scope.ts';
import type { LargeText } from '../model/expression/expression-text.ts';

/**
 * The data that a form edits. The fields know nothing about flows: the inspector passes them a node, the run dialog an
 * input.
 *
 * F1. `get` returns the same object as long as nothing in it has changed.
 * F2. Paths start at the edited object and are written (`formatPath`) as in problems.
 */
export interface FormModel {
  get(path: Path): unknown;
  subscribe(listener: () => void): () => void;
  /** Sets a value, as one step that can be undone; `undefined` removes it. `merge: false` starts a new step. */
  set(path: Path, value: unknown, label: string, options?: { merge?: boolean }): void;
  /** Renames the port that is named at this path. */
  renamePort?(path: Path, from: string, to: string): void;
  /** The problems of a field, with `below` including nested ones; the same array as long as nothing has changed. */
  problemsAt(field: string, below: boolean): readonly Problem[];
  /** Carries out the fix of a problem; absent where there are no fixes. */
  fix?(fix: Fix): void;
  /** The names that expressions can read; without it there are no expressions. */
  readonly scope?: ScopeSource | undefined;
  /** Opens the large editor of expressions; absent where there is none. */
  enlarge?(text: LargeText): void;
  /** Names of the secrets on this server; absent while they are unknown. */
  readonly secrets?: readonly string[] | undefined;
  /** The connections by name. */
  readonly connections?: Readonly<Record<string, { readonly kind?: string | undefined }>> | undefined;
  /** The database's description of the SQL statement at a path; undefined while it is unknown. */
  describedAt?(path: Path): Described | undefined;
  /** The node that it edits. */
  readonly place?: { readonly flow: string; readonly node: string };
  /** The other nodes of the flow. */
  nodes?(): readonly {
    readonly id: string;
    readonly title: string;
    readonly operator: string;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
  }[];
  /** Texts that are not valid values yet (JSON with a mistake), by field, kept while other things are selected. */
  readonly drafts: Map<string, string>;
  /** The fields that are opened, and those whose errors are told; without it all of both. */
  readonly view?: FormView | undefined;
  /** It has no line for the help of the focused field, although it has a view: all help is shown. */
  readonly showsHelp?: boolean;
}

/** The names that expressions of a place can read, as they are now, and news of their changes. */
export interface ScopeSource {
  current(): ExpressionScope;
  subscribe(listener: () => void): () => void;
  /** The zone in which the flow's expressions read and write times. */
  timezone(): string;
  /** A number that changes whenever values or names may have changed. */
  version(): number;
}

export const NO_PROBLEMS: readonly Problem[] = [];

/** Problems by field, for fast access; built once per list. */
export interface ProblemIndex {
  at(field: string, below: boolean): readonly Problem[];
}

/** Problems without a field are found at the empty name. */
export function indexProblems(problems: readonly Problem[]): ProblemIndex {
  const exact = Map.groupBy(problems, (problem) => problem.field ?? '');
  const deep = new Map<string, readonly Problem[]>();
  const below = (field: string): readonly Problem[] => {
    const inside = problems.filter(({ field: at = '' }) => at === field || isBelow(at, field));
    return inside.length > 0 ? inside : NO_PROBLEMS;
  };
  return {
    at: (field, isDeep) => {
      if (problems.length === 0) return NO_PROBLEMS;
      if (!isDeep) return exact.get(field) ?? NO_PROBLEMS;
      const found = deep.get(field) ?? below(field);
      deep.set(field, found);
      return found;
    },
  };
}

function isBelow(field: string, parent: string): boolean {
  return field.startsWith(parent) && (field[parent.length] === '.' || field[parent.length] === '[');
}

/** The value at a path in plain data; undefined if the path ends early. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The data with another value at a path; missing parts of the path are created. `undefined` removes. */
export function withValueAt(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = withValueAt(valueAt(root, [key]), rest, value);
  return typeof key === 'number' ? withElement(root, key, inner) : withEntry(root, key, inner);
}

function withElement(root: unknown, at: number, value: unknown): unknown[] {
  const list: unknown[] = Array.isArray(root) ? [...root] : [];
  if (value === undefined) list.splice(at, 1);
  else list[at] = value;
  return list;
}

/** An existing entry keeps its position. */
function withEntry(root: unknown, key: string, value: unknown): Record<string, unknown> {
  const entries = new Map(Object.entries(typeof root === 'object' && root !== null ? root : {}));
  if (value === undefined) entries.delete(key);
  else entries.set(key, value);
  return Object.fromEntries(entries);
}

/** The form in which a container without a value shows its default, and is edited from it. */
export function withDefault(form: FormModel, at: Path, fallback: unknown): FormModel {
  const inside = (path: Path) => at.every((key, i) => path[i] === key);
  return {
    ...form,
    get: (path) => {
      const isDefault = inside(path) && form.get(at) === undefined;
      return isDefault ? valueAt(fallback, path.slice(at.length)) : form.get(path);
    },
    set: (path, value, label, options) => {
      const isDefault = inside(path) && path.length > at.length && form.get(at) === undefined;
      if (!isDefault) return form.set(path, value, label, options);
      form.set(at, withValueAt(fallback, path.slice(at.length), value), label, options);
    },
    ...(form.renamePort && {
      renamePort: (path: Path, from: string, to: string) => {
        if (form.get(at) === undefined && inside(path))
          form.set(at, structuredClone(fallback), 'Change', { merge: false });
        form.renamePort?.(path, from, to);
      },
    }),
  };
}
