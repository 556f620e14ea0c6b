import { type NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import {
  ABSENT,
  INTEGER,
  makeType,
  NULL,
  NUMBER,
  objectOf,
  STRING,
  type Type,
  union,
  UNKNOWN,
  withoutAbsent,
} from './type.ts';
import type { Scope } from './walk.ts';

/** The type of `run` in expressions. */
const RUN = objectOf([
  ['id', STRING],
  ['flow', STRING],
  ['version', STRING],
  ['trigger', STRING],
  ['startedAt', NUMBER],
]);

/** The type of the output `error`; an error may have more fields. */
export const ERROR = makeType({
  object: {
    fields: new Map(
      ['code', 'message', 'node', 'operator'].map((name) => [name, { type: STRING, required: true }]),
    ),
    rest: UNKNOWN,
    strict: false,
  },
});

/** Everything that the expressions of a node can read. */
export interface NodeSources {
  readonly view: NodeView;
  readonly inputs: ReadonlyMap<string, Type>;
  /** The current item, if the node works on items, as far as it is known by now. */
  readonly item: () => Type;
  readonly views: ReadonlyMap<string, NodeView>;
  /** For a body: the nodes around it that it may read. */
  readonly outside: ReadonlyMap<string, NodeView> | undefined;
  /** By `node.port`. */
  readonly outputs: ReadonlyMap<string, Type>;
}

/** The scope of the expressions of a node. */
export function nodeScope(sources: NodeSources): Scope {
  const { view, inputs, item } = sources;
  const roots = new Map<string, Type>([
    ['inputs', objectOf(inputs, UNKNOWN)],
    ['run', RUN],
    ['index', INTEGER],
  ]);
  const [only] = inputs.values();
  if (view.ports.inputs.length === 1 && only) roots.set('input', seen(only));
  return {
    root: (name) => (name === 'item' ? seen(item()) : roots.get(name)),
    node: (id) => nodeType(sources, id),
  };
}

/** An input without a value is null to expressions. */
function seen(type: Type): Type {
  return type.absent ? union(withoutAbsent(type), NULL) : type;
}

/** The value of the only output; with several, an object of the live ones. */
function nodeType({ views, outside, outputs }: NodeSources, id: string): Type {
  const target = views.get(id) ?? outside?.get(id);
  if (!target?.info) return UNKNOWN;
  const plain = plainOutputs(target.ports);
  const typeOf = (port: string) => outputs.get(`${id}.${port}`) ?? UNKNOWN;
  const [only] = plain;
  if (only && plain.length === 1) return typeOf(only.name);
  const parts = target.ports.outputs.map(({ name }): [string, Type] => [name, union(typeOf(name), ABSENT)]);
  // Missing outputs are reported by name, so other fields need no report here.
  return objectOf(parts, UNKNOWN);
}
