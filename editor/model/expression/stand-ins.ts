import { exampleInput } from '#shared/example-input.ts';
import type { FlowNode } from '#shared/flow.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { previewOf, type PreviewTools } from './expression-preview.ts';
import type { Source } from './source.ts';

// Values that stand in for those that the run on the canvas does not have, to try an expression with.

/** The scope with an example from its schema in place of each value that is not known. */
export function withExamples(scope: ExpressionScope): ExpressionScope {
  return new Map([...scope].map(([name, source]) => [name, name === 'run' ? runOf(source) : filled(source)]));
}

function filled(source: Source): Source {
  const { value, schema, parts } = source;
  if (!parts) {
    if (value !== undefined || schema === undefined || source.skipped) return source;
    return { ...source, value: exampleInput(schema) };
  }
  const all = new Map([...parts].map(([name, part]) => [name, filled(part)]));
  const known = [...all].filter(([, part]) => part.value !== undefined);
  const values = Object.fromEntries(known.map(([name, part]) => [name, part.value]));
  return { ...source, parts: all, value: known.length > 0 ? values : value };
}

/** The time of a run is now, unless there was one. */
function runOf(source: Source): Source {
  if (source.value !== undefined) return source;
  const value = { id: 'run', flow: 'flow', version: 'version', trigger: 'trigger', startedAt: Date.now() };
  return { ...source, value };
}

/** The items that a node works on one by one in the run on the canvas; undefined without such a list, or if it is unknown. */
export function itemsOf(
  scope: ExpressionScope,
  node: FlowNode | undefined,
  tools?: PreviewTools,
): readonly unknown[] | undefined {
  if (!scope.has('item')) return undefined;
  const inputs = [...(scope.get('inputs')?.parts?.values() ?? [])];
  if (!node?.each) return listIn(inputs.length === 1 ? inputs[0]?.value : undefined);
  const list = node.each.items;
  if (list === undefined) return listOfInputs(inputs);
  return listIn(typeof list === 'string' ? valueOf(list, scope, tools) : list);
}

function listOfInputs(inputs: readonly Source[]): readonly unknown[] | undefined {
  return inputs.find(({ items }) => items !== undefined)?.items;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function valueOf(text: string, scope: ExpressionScope, tools: PreviewTools | undefined): unknown {
  const preview = previewOf(text, scope, tools);
  return preview.kind === 'value' ? preview.value : undefined;
}

/** The scope while the node works on one item, by its index. */
export function scopeOfItem(
  scope: ExpressionScope,
  items: readonly unknown[],
  index: number,
): ExpressionScope {
  const value = items[index];
  const ofItem = (source: Source): Source => (source.items === undefined ? source : { ...source, value });
  const result = new Map([...scope].map(([name, source]) => [name, ofItem(source)]));
  const inputs = scope.get('inputs');
  if (inputs?.parts) {
    const parts = new Map([...inputs.parts].map(([name, part]) => [name, ofItem(part)]));
    result.set('inputs', { ...inputs, parts });
  }
  result.set('item', { ...scope.get('item'), value });
  result.set('index', { ...scope.get('index'), value: index });
  return result;
}
