import { functionDocs } from '#engine/check';
import type { ExpressionScope } from './expression-scope.ts';
import type { Source } from './source.ts';
import { briefly, elementOf, memberOf, membersOf, typeOf } from './source-members.ts';

/** A name that fits at the cursor, with a short description. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'root' | 'field' | 'function' | 'method' | 'local' | 'constant';
  /** Signature, or the value in the last run. */
  readonly detail: string;
  readonly doc: string | undefined;
  /** Inserted in place of the label; for a field that no dot can name, it replaces the dot too. */
  readonly apply?: string;
}

/** The names that fit at the cursor. */
export interface Suggestions {
  /** Offset in the text at which the word begins that a suggestion replaces; the cursor is its end. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/**
 * The expression around the cursor: `start` is the offset behind its `{{`; `inText`: the cursor is in a text or a comment of it.
 * Undefined outside of expressions.
 */
export function openHole(
  text: string,
  at: number,
): { readonly start: number; readonly inText: boolean } | undefined {
  const before = text.slice(0, at);
  let start = -1;
  for (let i = 0; i < at; ) {
    if (start < 0) {
      const open = before.indexOf('{{', i);
      if (open < 0) return undefined;
      i = open + 2;
      if (before[open - 1] !== '\\') start = i;
      continue;
    }
    PART.lastIndex = i;
    const [part = ' ', quote, closing] = PART.exec(before) ?? [];
    i += part.length;
    if (part === '}}') start = -1;
    else if (i >= at && isText(part, quote, closing)) return { start, inText: true };
  }
  return start < 0 ? undefined : { start, inText: false };
}

/** A part of an expression: a text in quotes, a comment, the end, or any other sign. */
const PART = /(["'`])(?:\\[^]?|(?!\1)[^\\])*(\1?)|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|\}\}|[^]/y;

/** Whether what follows the part still belongs to a text or comment. */
function isText(part: string, quote: string | undefined, closing: string | undefined): boolean {
  if (quote !== undefined) return closing === '';
  return part.startsWith('//') || (part.startsWith('/*') && !/^\/\*[^]*\*\/$/.test(part));
}

const NAME = '[A-Za-z_$][\\w$]*';
const LINK = `(?:\\??\\.${NAME}(?:\\([^()]*\\))?|\\[\\d+\\]|\\[(?:"[^"]*"|'[^']*')\\])`;
const CHAIN = new RegExp(`(${NAME}(?:\\([^()]*\\))?${LINK}*)(\\??\\.)(${NAME})?$`);
const WORD = new RegExp(`(?:^|[^\\w$.])(${NAME})?$`);

/** The names for a cursor at offset `at`; undefined outside expressions, and where no name can follow. */
export function suggestionsAt(text: string, at: number, scope: ExpressionScope): Suggestions | undefined {
  const hole = openHole(text, at);
  if (!hole || hole.inText) return undefined;
  const before = text.slice(hole.start, at);
  const chain = CHAIN.exec(before);
  if (chain) {
    const [, base = '', dot = '', word = ''] = chain;
    return { from: at - word.length, options: behindDot(base, before, scope, dot) };
  }
  const word = WORD.exec(before);
  return word ? { from: at - (word[1] ?? '').length, options: atStart(before, scope) } : undefined;
}

function atStart(before: string, scope: ExpressionScope): Suggestion[] {
  const roots = [...scope].map(([label, source]): Suggestion => describe(label, source, 'root'));
  const locals = localsIn(before).map(
    ({ name }): Suggestion => ({ label: name, kind: 'local', detail: '', doc: undefined }),
  );
  return [...locals, ...roots, ...functions, ...constants];
}

const functions: readonly Suggestion[] = functionDocs
  .filter((entry) => entry.receiver === undefined)
  .map(({ name, signature, doc }) => ({
    label: name,
    kind: 'function',
    detail: signature.slice(name.length),
    doc,
  }));

const constants: readonly Suggestion[] = ['true', 'false', 'null'].map((label) => ({
  label,
  kind: 'constant',
  detail: '',
  doc: undefined,
}));

function behindDot(base: string, before: string, scope: ExpressionScope, dot: string): Suggestion[] {
  const source = sourceOf(base, before, scope);
  const fields = source
    ? [...membersOf(source)].map(([name, member]) => fieldSuggestion(name, member, dot))
    : [];
  return [...fields, ...methodsFor(source ? typeOf(source) : undefined, source !== undefined)];
}

function fieldSuggestion(name: string, member: Source, dot: string): Suggestion {
  const suggestion = describe(name, member, 'field');
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return suggestion;
  return { ...suggestion, apply: `${dot === '?.' ? '?.' : ''}[${JSON.stringify(name)}]` };
}

function describe(label: string, source: Source, kind: 'root' | 'field'): Suggestion {
  const known = source.value !== undefined && !source.parts;
  const description = source.schema?.['description'];
  const doc = source.doc ?? (typeof description === 'string' ? description : undefined);
  return { label, kind, detail: known ? briefly(source.value) : (typeOf(source) ?? ''), doc };
}

/** Methods of a value; all methods if its type is unknown. */
function methodsFor(type: ReturnType<typeof typeOf>, isKnown: boolean): Suggestion[] {
  const fits = functionDocs.filter(({ receiver }) =>
    receiver === undefined
      ? false
      : type === undefined
        ? !isKnown || receiver !== 'number'
        : receiver === type,
  );
  const length: Suggestion = {
    label: 'length',
    kind: 'field',
    detail: 'number',
    doc: 'How many characters or elements.',
  };
  const sized = type === 'string' || type === 'array' ? [length] : [];
  const seen = new Set<string>();
  const methods = fits.flatMap(({ name, signature, doc }): Suggestion[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ label: name, kind: 'method', detail: signature.slice(name.length), doc }];
  });
  return [...sized, ...methods];
}

/** The known facts about `input.items[0].name`; undefined after a call or an unknown name. */
export function sourceOf(
  chain: string,
  before: string,
  scope: ExpressionScope,
  depth = 0,
): Source | undefined {
  const parts = chain.match(new RegExp(`^${NAME}(?:\\([^()]*\\))?|${LINK}`, 'g')) ?? [];
  const [root = '', ...links] = parts;
  if (chain.includes('(') || depth > 4) return undefined;
  const local = localsIn(before).findLast(({ name }) => name === root);
  let source = local ? elementSource(local.of, before, scope, depth) : scope.get(root);
  for (const link of links) {
    const member = source && memberOf(source, keyOf(link));
    if (!member) return undefined;
    source = member;
  }
  return source;
}

function elementSource(
  list: string,
  before: string,
  scope: ExpressionScope,
  depth: number,
): Source | undefined {
  const source = sourceOf(list, before.slice(0, before.lastIndexOf(list)), scope, depth + 1);
  return source && elementOf(source);
}

function keyOf(link: string): string | number {
  if (!link.startsWith('[')) return link.replace(/^\??\./, '');
  const inner = link.slice(1, -1);
  return /^\d+$/.test(inner) ? Number(inner) : inner.slice(1, -1);
}

const LAMBDA = new RegExp(
  `(${NAME}${LINK}*)\\.(?:map|filter|find|findIndex|some|every|flatMap)\\(\\s*\\(?\\s*(${NAME})`,
  'g',
);

/** Parameters of the enclosing functions, with the list that their elements come from. */
function localsIn(before: string): { name: string; of: string }[] {
  return [...before.matchAll(LAMBDA)]
    .filter((match) => /^[^,)=]*(?:,[^)=]*)?\)?\s*=>/.test(before.slice(match.index + match[0].length)))
    .map((match) => ({ of: match[1] as string, name: match[2] as string }));
}
