/** Position of a node in the source of its expression, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

export type Literal = Span & { type: 'literal'; value: string | number | boolean | null };
/** A template literal: it has one more text than holes. */
export type TextNode = Span & { type: 'text'; texts: string[]; holes: Node[] };
export type Name = Span & { type: 'name'; name: string };
export type Unary = Span & { type: 'unary'; op: '!' | '-'; operand: Node };
export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '===' | '!==';
export type Binary = Span & { type: 'binary'; op: BinaryOp; left: Node; right: Node };
export type LogicalOp = '&&' | '||' | '??';
export type Logical = Span & { type: 'logical'; op: LogicalOp; left: Node; right: Node };
export type Conditional = Span & { type: 'conditional'; test: Node; yes: Node; no: Node };
export type Spread = Span & { type: 'spread'; value: Node };
export type ArrayNode = Span & { type: 'array'; items: (Node | Spread)[] };
export type Entry = { type: 'entry'; key: string; value: Node };
export type ObjectNode = Span & { type: 'object'; entries: (Entry | Spread)[] };
export type Call = Span & { type: 'call'; name: string; args: Argument[] };
/** Only the argument of a method that accepts a function, so it is neither a value nor a `Node`. */
export type Lambda = Span & { type: 'lambda'; params: string[]; body: Node };
export type Argument = Node | Lambda;

/** `.name` or `["name"]`; `nameStart` to `nameEnd` covers the word or the quoted text. */
export type FieldLink = Span & {
  kind: 'field';
  name: string;
  optional: boolean;
  nameStart: number;
  nameEnd: number;
};
export type IndexLink = Span & { kind: 'index'; key: Node; optional: boolean };
export type MethodLink = Span & { kind: 'method'; name: string; optional: boolean; args: Argument[] };
export type Link = FieldLink | IndexLink | MethodLink;

/**
 * `base` followed by its member accesses and method calls, flat: a long chain costs no stack, and
 * `?.` ends the chain that contains it. `(a?.b).c` is a chain whose base is a chain, as in JavaScript.
 */
export type Chain = Span & { type: 'chain'; base: Node; links: Link[] };

/** The syntax tree of an expression. */
export type Node =
  | Literal
  | TextNode
  | Name
  | Unary
  | Binary
  | Logical
  | Conditional
  | ArrayNode
  | ObjectNode
  | Call
  | Chain;
