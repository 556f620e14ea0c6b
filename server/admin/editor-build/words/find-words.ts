import { parseSync } from 'vite';
import { type Hole, htmlWords, isHtml } from './html-words.ts';
import { PLACE, isNotText, isText, namesText, readsAsText } from './text-rules.ts';

/**
 * Finds the texts that people read in a source file: text between tags, attributes and fields that hold text, and every other string that
 * reads like a sentence or a label. The sources stay as they are; the catalogue and the pseudo-locale are made from this.
 */
export interface Word {
  readonly start: number;
  readonly end: number;
  /**
   * Text between tags, a string in quotes, or one of an attribute; the name of a field that is shown; a template, whose `holes` are
   * places in the source, between `${` and `}`; a part of a page that is written as HTML, with such holes.
   */
  readonly kind: 'tags' | 'string' | 'attribute' | 'template' | 'name' | 'html';
  /** The text as it is read, with `{…}` for what is put in and `<…>` for an element within. */
  readonly text: string;
  readonly holes: readonly (readonly [start: number, end: number])[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Whether people read the strings of a place: they do, they do not, or it depends on the string itself. */
type Expect = 'text' | 'unknown' | 'none';

/** The types of nodes in TypeScript that wrap an expression. */
const WRAPPERS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const COMPARISONS = new Set(['===', '!==', '==', '!=', 'in', '<', '>', '<=', '>=']);
/** An operator of this kind returns one of its sides, so both are read. */
const TEXT_ANYWAY = new Set([
  'ConditionalExpression',
  'LogicalExpression',
  'ArrayExpression',
  'ParenthesizedExpression',
  'ChainExpression',
  'JSXExpressionContainer',
]);

/** Sources without pages: what looks like HTML in them is an example, or XML of a service. */
const NO_PAGES = /^(engine|shared)\/|^server\/(?!base\/pages\/|api\/|execution\/waits\/)/;

/** `byName`: names of fields and functions count, as in the editor; elsewhere a `text` or a `message` may be anything. */
export function findWords(file: string, source: string, { byName = true } = {}): Word[] {
  const { program, errors } = parseSync(file, source);
  const [fault] = errors;
  if (fault) throw new Error(`${file}: ${fault.message}`);
  const finder = new Finder(source, byName, !NO_PAGES.test(file));
  finder.visit(program as unknown as Node, 'unknown');
  return finder.words.toSorted((a, b) => a.start - b.start);
}

class Finder {
  readonly words: Word[] = [];
  readonly #source: string;
  readonly #byName: boolean;
  readonly #hasPages: boolean;

  constructor(source: string, byName: boolean, hasPages: boolean) {
    this.#source = source;
    this.#byName = byName;
    this.#hasPages = hasPages;
  }

  /** Fields, attributes, variables and functions say by their names what is in them. */
  expectOf(name: string, otherwise: Expect): Expect {
    if (isNotText(name)) return 'none';
    return this.#byName && namesText(name) ? 'text' : otherwise;
  }

  visit(node: Node, expect: Expect): void {
    if (node.type.startsWith('TS') && !WRAPPERS.has(node.type)) return;
    const rule = RULES[node.type];
    if (rule) rule(this, node, expect);
    else
      this.children(node, TEXT_ANYWAY.has(node.type) || WRAPPERS.has(node.type) ? expect : lowered(expect));
  }

  children(node: Node, expect: Expect): void {
    for (const child of nodesOf(node)) this.visit(child, expect);
  }

  each(nodes: unknown, expect: Expect): void {
    for (const node of nodes as readonly (Node | null)[]) if (node) this.visit(node, expect);
  }

  isComponent(name: string): boolean {
    return this.#byName && /^[A-Z][a-z]/.test(name);
  }

  string(node: Node, kind: Word['kind'], text: string, expect: Expect): void {
    if (this.#hasPages && expect !== 'none' && kind === 'string' && isHtml(text))
      return this.html(node.start + 1, node.end - 1, []);
    if (expect === 'none' || !(expect === 'text' ? isText(text) : readsAsText(text))) return;
    this.words.push({ start: node.start, end: node.end, kind, text, holes: [] });
  }

  template(node: Node, expect: Expect): void {
    const parts = node['quasis'] as readonly (Node & { value: { cooked: string } })[];
    const holes = node['expressions'] as readonly Node[];
    if (this.#hasPages && expect !== 'none' && isHtml(parts.map(({ value }) => value.cooked).join(PLACE))) {
      this.html(
        node.start + 1,
        node.end - 1,
        holes.map((hole, i) => ({
          start: parts[i]?.end ?? 0,
          end: parts[i + 1]?.start ?? 0,
          shown: this.hole(hole),
        })),
      );
      return this.each(holes, 'unknown');
    }
    const text = parts.map(({ value }, i) => value.cooked + (holes[i] ? this.hole(holes[i]) : '')).join('');
    const bare = parts.map(({ value }) => value.cooked).join(PLACE);
    const isRead = expect !== 'none' && (expect === 'text' ? isText(bare) : readsAsText(bare));
    if (isRead)
      this.words.push({
        start: node.start,
        end: node.end,
        kind: 'template',
        text,
        holes: parts.slice(1).map((part, i) => [parts[i]?.end ?? 0, part.start] as const),
      });
    this.each(holes, isRead ? 'text' : expect);
  }

  /** A page, or a part of one, as a text of the source. */
  html(start: number, end: number, holes: readonly Hole[]): void {
    for (const word of htmlWords(this.#source, start, end, holes))
      this.words.push({
        ...word,
        kind: 'html',
        holes: word.holes.map((hole) => [hole.start, hole.end] as const),
      });
  }

  /** `facts` are pairs whose names are shown too. */
  facts(value: Node): void {
    const pairs = value['expression'] as Node;
    if (pairs.type !== 'ObjectExpression') return;
    for (const pair of pairs['properties'] as readonly Node[]) {
      const key = pair['key'] as Node | undefined;
      const text = nameOf(key);
      if (key && isText(text))
        this.words.push({ start: key.start, end: key.end, kind: 'name', text, holes: [] });
    }
  }

  /** The text of the whole element is recorded at its first text; its other texts are only places of the source. */
  element(node: Node): void {
    const children = node['children'] as readonly Node[];
    const texts = children.filter((child) => child.type === 'JSXText' && isText(String(child['raw'])));
    const whole = children
      .map((child) => this.child(child))
      .join('')
      .replace(/\s+/g, ' ')
      .trim();
    for (const [i, { start, end }] of texts.entries())
      this.words.push({ start, end, kind: 'tags', text: i === 0 ? whole : '', holes: [] });
    for (const child of children) if (child.type !== 'JSXText') this.visit(child, 'text');
  }

  child(node: Node): string {
    if (node.type === 'JSXText') return readText(String(node['raw']));
    if (node.type !== 'JSXExpressionContainer') return '<…>';
    const inner = node['expression'] as Node;
    if (inner.type === 'JSXEmptyExpression') return '';
    if (inner.type === 'Literal' && typeof inner['value'] === 'string') return inner['value'];
    return this.hole(inner);
  }

  hole({ type, start, end }: Node): string {
    const isName = type === 'Identifier' || type === 'MemberExpression' || type === 'CallExpression';
    const code = this.#source.slice(start, end);
    return isName && /^[\w.]{1,30}(\([\w., ']{0,40}\))?$/.test(code) ? `{${code}}` : '{…}';
  }
}

type Rule = (finder: Finder, node: Node, expect: Expect) => void;

const RULES: Readonly<Record<string, Rule>> = {
  Literal(finder, node, expect) {
    if (typeof node['value'] === 'string') finder.string(node, 'string', node['value'], expect);
  },
  TemplateLiteral: (finder, node, expect) => finder.template(node, expect),
  TaggedTemplateExpression: () => undefined,
  ImportDeclaration: () => undefined,
  ImportExpression: () => undefined,
  ExportAllDeclaration: () => undefined,
  ExpressionStatement(finder, node) {
    if (node['directive'] === undefined || node['directive'] === null) finder.children(node, 'unknown');
  },
  JSXElement(finder, node) {
    finder.children(node['openingElement'] as Node, 'unknown');
    finder.element(node);
  },
  JSXFragment: (finder, node) => finder.element(node),
  JSXAttribute(finder, node) {
    const { name } = node['name'] as Node & { name: unknown };
    const value = node['value'] as Node | null;
    if (!value) return;
    const expect = finder.expectOf(typeof name === 'string' ? name : '', 'unknown');
    if (name === 'facts') finder.facts(value);
    if (value.type === 'Literal') finder.string(value, 'attribute', String(value['value']), expect);
    else finder.visit(value, expect);
  },
  Property(finder, node, expect) {
    const key = node['key'] as Node;
    if (node['computed'] === true) finder.visit(key, 'none');
    finder.visit(node['value'] as Node, finder.expectOf(nameOf(key), expect));
  },
  ObjectExpression: (finder, node, expect) => finder.each(node['properties'], expect),
  VariableDeclarator(finder, node) {
    const init = node['init'] as Node | null;
    if (init) finder.visit(init, expectOfVariable(finder, nameOf(node['id'] as Node)));
  },
  PropertyDefinition(finder, node) {
    const value = node['value'] as Node | null;
    if (value) finder.visit(value, finder.expectOf(nameOf(node['key'] as Node), 'unknown'));
  },
  AssignmentPattern(finder, node) {
    finder.visit(node['right'] as Node, finder.expectOf(nameOf(node['left'] as Node), 'unknown'));
  },
  FunctionDeclaration(finder, node) {
    finder.each(node['params'], 'unknown');
    const name = nameOf(node['id'] as Node | null);
    // The result of a component is shown.
    finder.visit(node['body'] as Node, finder.isComponent(name) ? 'text' : finder.expectOf(name, 'unknown'));
  },
  ArrowFunctionExpression(finder, node, expect) {
    finder.each(node['params'], 'unknown');
    finder.visit(node['body'] as Node, expect === 'none' ? 'unknown' : expect);
  },
  FunctionExpression(finder, node) {
    finder.each(node['params'], 'unknown');
    finder.visit(node['body'] as Node, 'unknown');
  },
  BlockStatement: (finder, node, expect) => finder.each(node['body'], expect),
  IfStatement(finder, node, expect) {
    finder.visit(node['test'] as Node, 'unknown');
    finder.visit(node['consequent'] as Node, expect);
    if (node['alternate']) finder.visit(node['alternate'] as Node, expect);
  },
  SwitchStatement(finder, node, expect) {
    finder.visit(node['discriminant'] as Node, 'unknown');
    finder.each(node['cases'], expect);
  },
  SwitchCase: (finder, node, expect) => finder.each(node['consequent'], expect),
  ReturnStatement(finder, node, expect) {
    if (node['argument']) finder.visit(node['argument'] as Node, expect);
  },
  ConditionalExpression(finder, node, expect) {
    finder.visit(node['test'] as Node, 'none');
    finder.visit(node['consequent'] as Node, expect);
    finder.visit(node['alternate'] as Node, expect);
  },
  LogicalExpression(finder, node, expect) {
    finder.visit(node['left'] as Node, node['operator'] === '&&' ? 'none' : expect);
    finder.visit(node['right'] as Node, expect);
  },
  BinaryExpression(finder, node, expect) {
    finder.children(node, COMPARISONS.has(String(node['operator'])) ? 'none' : expect);
  },
  MemberExpression(finder, node) {
    finder.visit(node['object'] as Node, 'unknown');
    if (node['computed'] === true) finder.visit(node['property'] as Node, 'none');
  },
  CallExpression: (finder, node) => call(finder, node),
  NewExpression(finder, node) {
    const name = nameOf(node['callee'] as Node);
    finder.each(
      node['arguments'],
      /^(RegExp|Set|Map|URL|Intl|NumberFormat|DateTimeFormat)$/.test(name) ? 'none' : 'unknown',
    );
  },
};

const LOOKED_UP = new Set(['includes', 'indexOf', 'lastIndexOf', 'has']);

/** Strings that are compared, looked up or put into classes are not read. */
function call(finder: Finder, node: Node): void {
  const callee = node['callee'] as Node;
  const isMember = callee.type === 'MemberExpression';
  const name = nameOf(isMember ? (callee['property'] as Node) : callee);
  const args = finder.expectOf(name, 'unknown');
  // A list in front of `.includes` is one of values.
  if (isMember) finder.visit(callee['object'] as Node, LOOKED_UP.has(name) ? 'none' : 'unknown');
  else finder.visit(callee, 'unknown');
  finder.each(node['arguments'], args);
}

/** A variable with the name of a component is a tag or a component. */
function expectOfVariable(finder: Finder, name: string): Expect {
  return /^[A-Z][a-z]/.test(name) ? 'none' : finder.expectOf(name, 'unknown');
}

function lowered(expect: Expect): Expect {
  return expect === 'text' ? 'unknown' : expect;
}

function nameOf(node: Node | null | undefined): string {
  if (!node) return '';
  const name = node['name'] ?? node['value'];
  return typeof name === 'string' ? name : '';
}

function nodesOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is Node => typeof one === 'object' && one !== null && 'type' in one && 'start' in one,
    ),
  );
}

/** Text between tags as React reads it: an end of a line with its blanks is one blank within, and nothing at the ends. */
export function readText(raw: string): string {
  const lines = raw.split('\n');
  return lines
    .map((line, i) => {
      const start = i === 0 ? line : line.trimStart();
      return i === lines.length - 1 ? start : start.trimEnd();
    })
    .filter((line) => line !== '')
    .join(' ');
}
