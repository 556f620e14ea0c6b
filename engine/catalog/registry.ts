import {
  type Catalog,
  type InputPort,
  OperatorInfo,
  type OutputPort,
  withOperators,
} from '#shared/catalog.ts';
import { WeftError } from '../base/errors.ts';
import type { Operator } from '../base/operator.ts';
import { jsonSchema, paramMarks, paramsSchema } from './params.ts';
import { operatorFaults } from './rules.ts';
import { z } from 'zod';

/** The operators by type, and their description as JSON. */
export interface Registry {
  readonly operators: ReadonlyMap<string, Operator>;
  readonly catalog: Catalog;
}

/**
 * Describes operators as JSON. The keys are their types, `group.name`.
 * @throws WeftError `bad_operator` that names the type and every broken rule (docs/operators.md lists the rules).
 */
export function makeRegistry(operators: ReadonlyMap<string, Operator>): Registry {
  const described: Record<string, OperatorInfo> = {};
  for (const [type, operator] of operators) described[type] = describe(type, operator);
  return { operators: new Map(operators), catalog: { operators: described } };
}

/** A registry of operators that were described before; `load` is called when one is first needed. */
export function makeLazyRegistry(catalog: Catalog, load: (type: string) => Operator): Registry {
  const types = Object.keys(catalog.operators);
  return { operators: new LazyOperators(types.map((type) => [type, () => load(type)])), catalog };
}

/** A registry with more operators; a new one replaces an existing one of the same type. Throws like `makeRegistry`. */
export function extendRegistry(registry: Registry, operators: ReadonlyMap<string, Operator>): Registry {
  return joinRegistries(registry, makeRegistry(operators));
}

/** The operators of both; those of `added` replace others of the same type. Loads none. */
export function joinRegistries(registry: Registry, added: Registry): Registry {
  const later = ({ operators }: Registry) =>
    [...operators.keys()].map((type) => [type, () => operators.get(type) as Operator] as const);
  return {
    operators: new LazyOperators([...later(registry), ...later(added)]),
    catalog: { operators: withOperators(registry.catalog.operators, added.catalog.operators) },
  };
}

/** A registry whose operators may change while others hold it and its catalog. */
export interface LivingRegistry extends Registry {
  replace(next: Registry): void;
}

/** A registry that begins as `first`; `replace` puts another one in its place for everybody who holds it. */
export function livingRegistry(first: Registry): LivingRegistry {
  let now = first;
  const catalog: Catalog = {
    get operators() {
      return now.catalog.operators;
    },
  };
  return {
    get operators() {
      return now.operators;
    },
    catalog,
    replace(next) {
      now = next;
    },
  };
}

/** Operators by type, each created on first use. */
class LazyOperators implements ReadonlyMap<string, Operator> {
  readonly #makers: ReadonlyMap<string, () => Operator>;
  readonly #made = new Map<string, Operator>();

  constructor(makers: readonly (readonly [string, () => Operator])[]) {
    this.#makers = new Map(makers);
  }

  get size(): number {
    return this.#makers.size;
  }

  has(type: string): boolean {
    return this.#makers.has(type);
  }

  get(type: string): Operator | undefined {
    const made = this.#made.get(type) ?? this.#makers.get(type)?.();
    if (made) this.#made.set(type, made);
    return made;
  }

  keys(): MapIterator<string> {
    return this.#makers.keys();
  }

  values(): MapIterator<Operator> {
    return this.#all().values();
  }

  entries(): MapIterator<[string, Operator]> {
    return this.#all().entries();
  }

  [Symbol.iterator](): MapIterator<[string, Operator]> {
    return this.entries();
  }

  forEach(visit: (operator: Operator, type: string, all: ReadonlyMap<string, Operator>) => void): void {
    for (const [type, operator] of this) visit(operator, type, this);
  }

  #all(): Map<string, Operator> {
    return new Map([...this.keys()].map((type) => [type, this.get(type) as Operator]));
  }
}

/** Operators never change, and describing one takes longer than a hundred calls of it. */
const known = new WeakMap<Operator, OperatorInfo>();

function describe(type: string, operator: Operator): OperatorInfo {
  const before = known.get(operator);
  if (before?.type === type) return before;
  const info = describeAnew(type, operator);
  known.set(operator, info);
  return info;
}

function describeAnew(type: string, operator: Operator): OperatorInfo {
  const faults = operatorFaults(type, operator);
  if (faults.length > 0) throw badOperator(type, faults);
  try {
    return OperatorInfo.parse(describeSound(type, operator));
  } catch (error) {
    throw badOperator(type, [
      error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message,
    ]);
  }
}

function describeSound(type: string, operator: Operator): OperatorInfo {
  const params = paramsSchema(operator.params);
  const { lazyParams, literalParams } = paramMarks(params);
  return {
    type,
    group: type.slice(0, type.indexOf('.')),
    title: operator.title,
    doc: operator.doc,
    icon: operator.icon,
    ...describeWords(operator),
    params,
    ...(operator.options && { options: describeOptions(operator.options) }),
    inputs: describeInputs(operator.inputs),
    outputs: describeOutputs(operator.outputs),
    ...(operator.derivedInputs && { derivedInputs: operator.derivedInputs }),
    ...(operator.derivedOutputs && { derivedOutputs: operator.derivedOutputs }),
    ...(operator.infer && { infer: operator.infer }),
    ...describeEffects(operator),
    trigger: operator.trigger ?? false,
    sink: operator.sink ?? false,
    respond: operator.respond ?? false,
    lift: operator.lift ?? false,
    exclusive: operator.exclusive ?? false,
    lazyParams,
    literalParams,
    examples: [...operator.examples],
    ...(operator.listen && { source: true }),
    ...describeOrigin(operator),
  };
}

/** Where it comes from, and what has come in its place. */
function describeOrigin({ replacedBy, package: from, flow }: Operator) {
  return {
    ...(replacedBy && { replacedBy }),
    ...(from !== undefined && { package: from }),
    ...(flow !== undefined && { flow }),
  };
}

/** By what people find it, and what it says of itself on the canvas. */
function describeWords({ summary, synonyms, purpose }: Operator) {
  return {
    ...(summary !== undefined && { summary }),
    ...(synonyms && { synonyms: synonyms.split(',').map((word) => word.trim()) }),
    ...(purpose && { purpose }),
  };
}

function describeOptions(options: NonNullable<Operator['options']>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(options).map(([group, names]) => [group, [...names]]));
}

function describeEffects(operator: Operator) {
  const { effects, effectsByParam, readsRun, retriesBy, idempotent = false, keyParam, body } = operator;
  return {
    effects,
    ...(body && { body }),
    ...(effectsByParam && { effectsByParam }),
    ...(readsRun && { readsRun }),
    ...(retriesBy && { retriesBy }),
    idempotent,
    ...(keyParam !== undefined && { keyParam }),
  };
}

function badOperator(type: string, faults: readonly string[]): WeftError {
  return new WeftError('bad_operator', `The operator ${type} is broken: ${faults.join(' ')}`, {
    data: { faults },
  });
}

function describeInputs(inputs: Operator['inputs']): InputPort[] {
  return Object.entries(inputs).map(([name, port]) => ({
    name,
    kind: port.kind,
    required: port.required,
    ...(port.doc !== undefined && { doc: port.doc }),
    ...(port.many !== undefined && { many: port.many as InputPort['many'] }),
    ...(port.schema && { schema: jsonSchema(port.schema) }),
  }));
}

function describeOutputs(outputs: Operator['outputs']): OutputPort[] {
  return Object.entries(outputs).map(([name, port]) => ({
    name,
    kind: port.kind,
    ...(port.doc !== undefined && { doc: port.doc }),
    ...(port.schema && { schema: jsonSchema(port.schema) }),
    ...(port.when && { when: port.when }),
  }));
}
