import type { Chain, Link, MethodLink, Node } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { walkNodes } from './nodes.ts';
import { Fault, refuse } from './problem.ts';

/** A JavaScript pattern in slashes, which the parser reads to say what to write instead. */
export interface RegexLiteral {
  readonly source: string;
  readonly flags: string;
  readonly end: number;
}

/** Reads `/x/g`, whose first slash is at `start`. */
export function readRegexLiteral(text: string, start: number): RegexLiteral {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n' || char === '\r') break;
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) {
      const flags = /^[a-z]*/.exec(text.slice(at + 1, at + 20))?.[0] ?? '';
      return { source: text.slice(start + 1, at), flags, end: at + 1 + flags.length };
    }
  }
  return refuse('Write `matches(text, "pattern")` for a regular expression.', start);
}

/** The pattern as RE2 has it, with its flags in front. */
export function patternText({ source, flags }: RegexLiteral): string {
  const kept = flags.replace(/[^ims]/g, '');
  return (kept === '' ? '' : `(?${kept})`) + source.replaceAll('\\/', '/');
}

/** Refuses the first pattern in slashes, and says how to write its call. */
export function refuseRegexLiterals(c: Cursor, ast: Node): void {
  const [first] = c.patterns;
  if (!first) return;
  const [node, literal] = first;
  const better = callInstead(c, ast, { node, literal });
  const message =
    'A regular expression is a text here, and the functions are `matches`, `extract`, `extractAll`, `replace` and `splitBy`';
  if (!better) {
    throw new Fault({
      code: 'expression-syntax',
      message: `${message}: write ${JSON.stringify(patternText(literal))}.`,
      offset: c.origin + node.start,
    });
  }
  throw new Fault({
    code: 'expression-syntax',
    message: `${message}: write \`${better.text}\`.`,
    offset: c.origin + better.start,
    length: better.end - better.start,
    suggestion: better.text,
  });
}

interface Found {
  readonly node: Node;
  readonly literal: RegexLiteral;
}
type Better = { readonly text: string; readonly start: number; readonly end: number };

function callInstead(c: Cursor, ast: Node, found: Found): Better | undefined {
  let better: Better | undefined;
  walkNodes(ast, (node) => {
    if (node.type === 'chain') better ??= inChain(c, node, found);
  });
  return better;
}

function inChain(c: Cursor, chain: Chain, { node, literal }: Found): Better | undefined {
  const written = (from: number, to: number) => c.text.slice(c.origin + from, c.origin + to);
  const pattern = JSON.stringify(patternText(literal));
  const isAll = literal.flags.includes('g');
  const at = chain.links.findIndex(
    (link) => link.kind === 'method' && (link.args[0] === node || chain.base === node),
  );
  const link = chain.links[at];
  if (link?.kind !== 'method') return undefined;
  const next = groupIn(chain.links[at + 1]);
  const given = (text: string, end = link.end): Better => ({ text, start: chain.start, end });
  const args = link.args.map((arg) => written(arg.start, arg.end));
  const extracted = (text: string | undefined): Better =>
    next
      ? given(`extract(${text}, ${pattern}, ${next.group})`, next.end)
      : given(`extract(${text}, ${pattern}, 0)`);
  if (chain.base === node) {
    if (at !== 0) return undefined;
    if (link.name === 'test') return given(`matches(${args[0]}, ${pattern})`);
    return link.name === 'exec' ? extracted(args[0]) : undefined;
  }
  const before = written(chain.start, link.start);
  const text = link.optional ? `${before} ?? ""` : before;
  if (link.name === 'match' && !isAll) return extracted(text);
  return ofText(given, { link, text, pattern, isAll, by: args[1] });
}

interface Method {
  readonly link: MethodLink;
  readonly text: string;
  readonly pattern: string;
  readonly isAll: boolean;
  readonly by: string | undefined;
}

function ofText(
  given: (text: string) => Better,
  { link, text, pattern, isAll, by }: Method,
): Better | undefined {
  switch (link.name) {
    case 'replace':
    case 'replaceAll': {
      if (by === undefined || link.args[1]?.type === 'lambda') return undefined;
      const most = isAll || link.name === 'replaceAll' ? '' : ', 1';
      return given(`replace(${text}, ${pattern}, ${by.replaceAll('$&', '$0')}${most})`);
    }
    case 'match':
    case 'matchAll':
      return given(`extractAll(${text}, ${pattern}, 0)`);
    case 'split':
      return given(`splitBy(${text}, ${pattern})`);
    default:
      return undefined;
  }
}

/** The group that `[1]` behind a match reads. */
function groupIn(link: Link | undefined): { readonly group: number; readonly end: number } | undefined {
  if (link?.kind !== 'index' || link.key.type !== 'literal' || typeof link.key.value !== 'number')
    return undefined;
  return { group: link.key.value, end: link.end };
}
