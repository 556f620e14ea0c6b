import { type Block, blocksOf, type Token, Untranslatable } from './tokens.ts';

export type Expr =
  | { readonly is: 'value'; readonly value: string | number | boolean | null }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'member'; readonly of: Expr; readonly name: string }
  | { readonly is: 'item'; readonly of: Expr; readonly at: Expr }
  | {
      readonly is: 'slice';
      readonly of: Expr;
      readonly from: Expr | undefined;
      readonly to: Expr | undefined;
    }
  | { readonly is: 'call'; readonly of: Expr; readonly name: string; readonly args: readonly Expr[] }
  | { readonly is: 'range'; readonly args: readonly Expr[] }
  | {
      readonly is: 'filter';
      readonly of: Expr;
      readonly name: string;
      readonly args: readonly Expr[];
      readonly named: Named;
    }
  | {
      readonly is: 'test';
      readonly of: Expr;
      readonly name: string;
      readonly args: readonly Expr[];
      readonly not: boolean;
    }
  | { readonly is: 'not' | 'minus'; readonly of: Expr }
  | { readonly is: 'two'; readonly sign: string; readonly left: Expr; readonly right: Expr }
  | { readonly is: 'choice'; readonly when: Expr; readonly then: Expr; readonly else: Expr | undefined }
  | { readonly is: 'list'; readonly items: readonly Expr[] }
  | { readonly is: 'record'; readonly fields: readonly (readonly [Expr, Expr])[] };

export type Named = Readonly<Record<string, Expr>>;

export type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'print'; readonly expr: Expr }
  | { readonly is: 'set'; readonly name: string; readonly expr: Expr }
  | {
      readonly is: 'if';
      readonly cases: readonly { readonly when: Expr; readonly parts: readonly Part[] }[];
      readonly else: readonly Part[];
    }
  | {
      readonly is: 'for';
      readonly names: readonly string[];
      readonly in: Expr;
      readonly when: Expr | undefined;
      readonly parts: readonly Part[];
      readonly else: readonly Part[];
    };

const DEEPEST = 40;

export function parseJinja(source: string): Part[] {
  const blocks = blocksOf(source);
  const state = { at: 0, depth: 0 };
  const parts = partsUntil(blocks, state, []);
  if (state.at < blocks.length) throw new Untranslatable('a tag stands where it does not belong');
  return parts;
}

type State = { at: number; depth: number };

function tagAt(blocks: readonly Block[], { at }: State): string | undefined {
  const block = blocks[at];
  return block?.type === 'tag' ? (block.tokens[0]?.value ?? '') : undefined;
}

function partsUntil(blocks: readonly Block[], state: State, ends: readonly string[]): Part[] {
  if (++state.depth > DEEPEST) throw new Untranslatable('it is nested too deep');
  const parts: Part[] = [];
  for (let block = blocks[state.at]; block; block = blocks[state.at]) {
    const tag = tagAt(blocks, state);
    if (tag !== undefined && ends.includes(tag)) break;
    state.at += 1;
    if (block.type === 'text') parts.push({ is: 'text', text: block.text });
    else if (block.type === 'print') parts.push({ is: 'print', expr: wholeOf(block.tokens) });
    else if (tag === 'if') parts.push(ifOf(blocks, state, block.tokens));
    else if (tag === 'for') parts.push(forOf(blocks, state, block.tokens));
    else if (tag === 'set') parts.push(setOf(block.tokens));
    else
      throw new Untranslatable(`the tag ${(tag ?? '').slice(0, 40) || 'without a name'} is not translated`);
  }
  state.depth -= 1;
  return parts;
}

/** The tag that ends a part; a file may lack it. */
function endOf(blocks: readonly Block[], state: State): readonly Token[] {
  const block = blocks[state.at++];
  if (block?.type !== 'tag') throw new Untranslatable('a tag has no end');
  return block.tokens;
}

function ifOf(blocks: readonly Block[], state: State, tokens: readonly Token[]): Part {
  const cases = [];
  let head = tokens;
  for (;;) {
    const when = wholeOf(head.slice(1));
    const parts = partsUntil(blocks, state, ['elif', 'else', 'endif']);
    cases.push({ when, parts });
    head = endOf(blocks, state);
    if (head[0]?.value !== 'elif') break;
  }
  if (head[0]?.value === 'endif') return { is: 'if', cases, else: [] };
  const rest = partsUntil(blocks, state, ['endif']);
  endOf(blocks, state);
  return { is: 'if', cases, else: rest };
}

function forOf(blocks: readonly Block[], state: State, tokens: readonly Token[]): Part {
  const names: string[] = [];
  let at = 1;
  for (; tokens[at] && tokens[at]?.value !== 'in'; at++) {
    const token = tokens[at] as Token;
    if (token.type === 'name') names.push(token.value);
    else if (!',()'.includes(token.value)) throw new Untranslatable('a loop is not understood');
  }
  const reader = new Reader(tokens.slice(at + 1));
  const list = reader.choiceFree();
  const when = reader.takeName('if') ? reader.expression() : undefined;
  reader.end();
  if (names.length === 0 || names.length > 2) throw new Untranslatable('a loop is not understood');
  const parts = partsUntil(blocks, state, ['else', 'endfor']);
  const isElse = endOf(blocks, state)[0]?.value === 'else';
  const rest = isElse ? partsUntil(blocks, state, ['endfor']) : [];
  if (isElse) endOf(blocks, state);
  return { is: 'for', names, in: list, when, parts, else: rest };
}

function setOf(tokens: readonly Token[]): Part {
  const [, name, equals, ...rest] = tokens;
  if (name?.type !== 'name' || equals?.value !== '=') throw new Untranslatable('a set is not understood');
  return { is: 'set', name: name.value, expr: wholeOf(rest) };
}

function wholeOf(tokens: readonly Token[]): Expr {
  const reader = new Reader(tokens);
  const expr = reader.expression();
  reader.end();
  return expr;
}

const COMPARED = ['==', '!=', '<', '<=', '>', '>='];
const RESERVED = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'for']);

class Reader {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  private get token(): Token | undefined {
    return this.tokens[this.at];
  }

  private isSign(sign: string): boolean {
    return this.token?.type === 'sign' && this.token.value === sign;
  }

  private takeSign(sign: string): boolean {
    const is = this.isSign(sign);
    if (is) this.at += 1;
    return is;
  }

  takeName(name: string): boolean {
    const is = this.token?.type === 'name' && this.token.value === name;
    if (is) this.at += 1;
    return is;
  }

  private needSign(sign: string): void {
    if (!this.takeSign(sign)) throw new Untranslatable(`an expression lacks ${sign}`);
  }

  end(): void {
    if (this.token) throw new Untranslatable('an expression is not understood');
  }

  expression(): Expr {
    if (++this.depth > DEEPEST) throw new Untranslatable('an expression is nested too deep');
    const then = this.choiceFree();
    let expr = then;
    if (this.takeName('if')) {
      const when = this.choiceFree();
      expr = { is: 'choice', when, then, else: this.takeName('else') ? this.expression() : undefined };
    }
    this.depth -= 1;
    return expr;
  }

  /** An expression without `x if y else z`: where `if` means something else. */
  choiceFree(): Expr {
    let left = this.both();
    while (this.takeName('or')) left = { is: 'two', sign: 'or', left, right: this.both() };
    return left;
  }

  private both(): Expr {
    let left = this.negated();
    while (this.takeName('and')) left = { is: 'two', sign: 'and', left, right: this.negated() };
    return left;
  }

  private negated(): Expr {
    let count = 0;
    while (this.takeName('not')) count += 1;
    const of = this.compared();
    if (count === 0) return of;
    return count % 2 === 1 ? { is: 'not', of } : { is: 'not', of: { is: 'not', of } };
  }

  private compared(): Expr {
    const left = this.sums();
    const sign = COMPARED.find((one) => this.takeSign(one));
    if (sign !== undefined) {
      const compared: Expr = { is: 'two', sign, left, right: this.sums() };
      if (COMPARED.some((one) => this.isSign(one)))
        throw new Untranslatable('a chain of comparisons is not translated');
      return compared;
    }
    if (this.takeName('in')) return { is: 'two', sign: 'in', left, right: this.sums() };
    if (this.token?.value === 'not' && this.tokens[this.at + 1]?.value === 'in') {
      this.at += 2;
      return { is: 'not', of: { is: 'two', sign: 'in', left, right: this.sums() } };
    }
    return left;
  }

  private binary(signs: readonly string[], part: () => Expr): Expr {
    let left = part();
    for (
      let sign = signs.find((one) => this.takeSign(one));
      sign;
      sign = signs.find((one) => this.takeSign(one))
    )
      left = { is: 'two', sign, left, right: part() };
    return left;
  }

  private sums(): Expr {
    return this.binary(['+', '-'], () =>
      this.binary(['~'], () => this.binary(['*', '//', '/', '%'], () => this.power())),
    );
  }

  private power(): Expr {
    if (this.takeSign('-')) return { is: 'minus', of: this.power() };
    if (this.takeSign('+')) return this.power();
    const base = this.postfix(this.primary());
    return this.takeSign('**') ? { is: 'two', sign: '**', left: base, right: this.power() } : base;
  }

  private postfix(start: Expr): Expr {
    let expr = start;
    for (;;) {
      if (this.takeSign('.')) {
        const token = this.token;
        if (token?.type === 'number' && /^\d+$/.test(token.value)) {
          this.at += 1;
          expr = { is: 'item', of: expr, at: { is: 'value', value: Number(token.value) } };
          continue;
        }
        const name = this.name();
        expr = this.takeSign('(')
          ? { is: 'call', of: expr, name, args: this.args().list }
          : { is: 'member', of: expr, name };
      } else if (this.takeSign('[')) expr = this.itemOf(expr);
      else if (this.takeSign('|')) {
        const name = this.name();
        const { list, named } = this.takeSign('(') ? this.args() : { list: [], named: {} };
        expr = { is: 'filter', of: expr, name, args: list, named };
      } else if (this.takeName('is')) {
        const not = this.takeName('not');
        const name = this.name();
        const args = this.takeSign('(') ? this.args().list : this.testArgument();
        expr = { is: 'test', of: expr, name, args, not };
      } else return expr;
    }
  }

  private testArgument(): Expr[] {
    const { token } = this;
    if (token?.type === 'number' || token?.type === 'text') return [this.primary()];
    return [];
  }

  private itemOf(of: Expr): Expr {
    const from = this.isSign(':') ? undefined : this.expression();
    if (!this.takeSign(':')) {
      this.needSign(']');
      return { is: 'item', of, at: from as Expr };
    }
    const to = this.isSign(']') ? undefined : this.expression();
    this.needSign(']');
    return { is: 'slice', of, from, to };
  }

  private name(): string {
    const { token } = this;
    if (token?.type !== 'name') throw new Untranslatable('an expression lacks a name');
    this.at += 1;
    return token.value;
  }

  private args(): { list: Expr[]; named: Named } {
    const list: Expr[] = [];
    const named: Record<string, Expr> = {};
    while (!this.takeSign(')')) {
      const next = this.tokens[this.at + 1];
      if (this.token?.type === 'name' && next?.type === 'sign' && next.value === '=') {
        const name = this.name();
        this.at += 1;
        Object.defineProperty(named, name, { value: this.expression(), enumerable: true });
      } else list.push(this.expression());
      if (!this.isSign(')')) this.needSign(',');
    }
    return { list, named };
  }

  private primary(): Expr {
    const { token } = this;
    if (token === undefined) throw new Untranslatable('an expression has no end');
    this.at += 1;
    if (token.type === 'number') return { is: 'value', value: Number(token.value) };
    if (token.type === 'text') return { is: 'value', value: token.value };
    if (token.type === 'name') return this.named(token.value);
    if (token.value === '(') {
      const inner = this.expression();
      this.needSign(')');
      return inner;
    }
    if (token.value === '[') return { is: 'list', items: this.itemsUntil(']') };
    if (token.value === '{') return { is: 'record', fields: this.fields() };
    throw new Untranslatable('an expression is not understood');
  }

  private named(name: string): Expr {
    if (/^(?:true|false)$/i.test(name)) return { is: 'value', value: name.toLowerCase() === 'true' };
    if (/^none$/i.test(name)) return { is: 'value', value: null };
    if (RESERVED.has(name)) throw new Untranslatable('an expression is not understood');
    if (!this.isSign('(')) return { is: 'name', name };
    this.at += 1;
    const { list } = this.args();
    if (name !== 'range') throw new Untranslatable(`the function ${name.slice(0, 40)} is not translated`);
    return { is: 'range', args: list };
  }

  private itemsUntil(close: string): Expr[] {
    const items: Expr[] = [];
    while (!this.takeSign(close)) {
      items.push(this.expression());
      if (!this.isSign(close)) this.needSign(',');
    }
    return items;
  }

  private fields(): [Expr, Expr][] {
    const fields: [Expr, Expr][] = [];
    while (!this.takeSign('}')) {
      const key = this.expression();
      this.needSign(':');
      fields.push([key, this.expression()]);
      if (!this.isSign('}')) this.needSign(',');
    }
    return fields;
  }
}
