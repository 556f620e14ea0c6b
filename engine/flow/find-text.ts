import type { Catalog } from '#shared/catalog.ts';
import type { TextKind, TextWish } from '#shared/find-text.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { hasTemplate, type Regex } from '../expr/index.ts';
import { type Path, parsePath } from './field-path.ts';
import { secretReference } from './param-values.ts';
import { operatorInfo } from './ports.ts';
import { setAt } from './set-at.ts';

/**
 * Texts of flows, to find and to replace.
 *
 * FT1. Values of secrets are never among them: fields that hold one are passed over, whatever is written there.
 * FT2. What is replaced is exactly what was found: a text that has changed since stays.
 */
export interface FlowText {
  readonly path: Path;
  readonly node: string | undefined;
  readonly kind: TextKind;
  readonly text: string;
}

/** All texts of a flow, with those in bodies. */
export function* textsOf(flow: Flow, catalog: Catalog): Generator<FlowText> {
  if (flow.name !== undefined) yield { path: ['name'], node: undefined, kind: 'names', text: flow.name };
  if (flow.description !== undefined)
    yield { path: ['description'], node: undefined, kind: 'notes', text: flow.description };
  yield* textsOfNodes(flow.nodes, ['nodes'], catalog);
}

function* textsOfNodes(nodes: Flow['nodes'], at: Path, catalog: Catalog): Generator<FlowText> {
  for (const [id, node] of Object.entries(nodes)) {
    const path = [...at, id];
    if (node.name !== undefined) yield { path: [...path, 'name'], node: id, kind: 'names', text: node.name };
    if (node.description !== undefined)
      yield { path: [...path, 'description'], node: id, kind: 'notes', text: node.description };
    yield* textsOfSettings(id, node, path, catalog);
    if (node.body) yield* textsOfNodes(node.body.nodes, [...path, 'body', 'nodes'], catalog);
  }
}

/** Settings besides the params that hold texts of people. */
const OTHERS: readonly Path[] = [['cache', 'key'], ['each', 'items'], ['fallback']];

function* textsOfSettings(id: string, node: FlowNode, at: Path, catalog: Catalog): Generator<FlowText> {
  const info = operatorInfo(catalog, node.operator);
  yield* walk({ id, schema: info?.params }, node.params, [...at, 'params']);
  for (const path of OTHERS) {
    const value = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), node);
    yield* walk({ id, schema: undefined }, value, [...at, ...path]);
  }
}

interface Within {
  readonly id: string;
  readonly schema: JsonSchema | undefined;
}

/** Names of fields that hold a secret where no schema says so. */
const SECRET = /pass(?:word|phrase|wd)?$|secret|token$|api[-_]?key|authorization|credential|private[-_]?key/i;

function* walk({ id, schema }: Within, value: unknown, path: Path): Generator<FlowText> {
  if (isSecret(schema, value, path.at(-1))) return;
  if (typeof value === 'string') yield { path, node: id, kind: kindOf(schema, value), text: value };
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    const below = isList ? schema?.['items'] : fieldOf(schema, name);
    const at = [...path, isList ? Number(name) : name];
    yield* walk({ id, schema: isRecord(below) ? below : undefined }, inner, at);
  }
}

/** Whether a value is a secret, or stands where one is expected. */
function isSecret(schema: JsonSchema | undefined, value: unknown, key: string | number | undefined): boolean {
  if (schema?.['widget'] === 'secret' || schema?.['format'] === 'password') return true;
  if (secretReference(value) || (typeof key === 'string' && SECRET.test(key))) return true;
  // A row such as `{ name: "Authorization", value: … }`.
  const name = isRecord(value) ? (value['name'] ?? value['key']) : undefined;
  return typeof name === 'string' && SECRET.test(name);
}

function fieldOf(schema: JsonSchema | undefined, name: string): unknown {
  const properties = schema?.['properties'];
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return schema?.['additionalProperties'];
}

function kindOf(schema: JsonSchema | undefined, text: string): TextKind {
  if (schema?.['widget'] === 'code' || schema?.['widget'] === 'sql') return 'code';
  return hasTemplate(text) ? 'expressions' : 'settings';
}

/** Where a text was found, and what stands there after the replacement. */
export interface TextMatch {
  readonly index: number;
  readonly text: string;
  readonly by: string;
}

/** More in one text are left as they are. */
const MOST_MATCHES = 10_000;

export type FindTexts = (text: string, by: string) => readonly TextMatch[];

/** Finds in linear time, whatever the pattern. Throws what `compile` throws for one that is none, or would be too large. */
export function textFinder(
  { find, isPattern, isCaseSensitive }: Pick<TextWish, 'find' | 'isPattern' | 'isCaseSensitive'>,
  compile: (pattern: string) => Regex,
): FindTexts {
  const plain = isPattern ? find : find.replace(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);
  const regex = compile(isCaseSensitive ? plain : `(?i)${plain}`);
  return (text, by) => {
    const found: TextMatch[] = [];
    for (const match of regex.matches(text)) {
      if (match.text === '') continue;
      found.push({ index: match.index, text: match.text, by: isPattern ? expanded(by, match) : by });
      if (found.length >= MOST_MATCHES) break;
    }
    return found;
  };
}

type Found = ReturnType<Regex['matches']> extends Iterable<infer Match> ? Match : never;

const REFERENCE = /\$(?:(\d{1,3})|\{(\w{1,100})\}|\$)/g;

/** `$1`, `${name}`, `$0` and `$$` as in the expression function `replace`; what names no group stays as it is written. */
function expanded(by: string, { text, groups, named }: Found): string {
  return by.replace(REFERENCE, (written, number?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? '') : written;
    if (number === undefined) return '$';
    if (Number(number) === 0) return text;
    return Number(number) <= groups.length ? (groups[Number(number) - 1] ?? '') : written;
  });
}

/** The text with each match replaced by its `by`; matches are in the order of the text. */
export function replaced(text: string, matches: readonly TextMatch[]): string {
  let [out, from] = ['', 0];
  for (const match of matches) {
    out += text.slice(from, match.index) + match.by;
    from = match.index + match.text.length;
  }
  return out + text.slice(from);
}

/** A text that is to be another one, by its path as `formatPath` writes it. */
export interface NewText {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The flow with other texts; those that have changed since are returned as `left`. */
export function withTexts(
  flow: Flow,
  texts: readonly NewText[],
): { readonly flow: Flow; readonly left: readonly NewText[] } {
  const left: NewText[] = [];
  let changed: unknown = flow;
  for (const text of texts) {
    const path = parsePath(text.path);
    const now = path && valueAt(changed, path);
    if (!path || now !== text.before) left.push(text);
    else changed = setAt(changed, path, () => text.after);
  }
  return { flow: changed as Flow, left };
}

function valueAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return at;
}
