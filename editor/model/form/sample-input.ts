import { exampleInput, fullExample } from '#shared/example-input.ts';
import type { Flow } from '#shared/flow.ts';
import { nodeOf } from '../document/edit.ts';
import type { Trigger } from './triggers.ts';

/**
 * A first input to try a trigger with: from its request model, otherwise from the fields that expressions read, so that the
 * first call does not fail because they are missing. It is only a sample, so the expressions are skimmed, not parsed.
 */
export function sampleInput(flow: Flow, { node, schema }: Trigger): unknown {
  if (schema) return exampleInput(schema);
  const fed = new Set(flow.edges.filter(({ from }) => nodeOf(from) === node).map(({ to }) => nodeOf(to)));
  const names = Object.entries(flow.nodes).flatMap(([id, { params }]) => {
    const holes = JSON.stringify(params ?? {}).match(/\{\{.*?\}\}/g) ?? [];
    const reads = holes.flatMap((hole) => [
      ...hole.matchAll(/(?<![\w$.])(input|trigger)\??\.([A-Za-z_]\w*)/g),
    ]);
    return reads.flatMap(([, root, name]) =>
      name !== undefined && (root === 'trigger' || fed.has(id)) ? [name] : [],
    );
  });
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** The same for a form, which shows optional fields as well. */
export function sampleForm(flow: Flow, trigger: Trigger): unknown {
  return trigger.schema ? fullExample(trigger.schema) : sampleInput(flow, trigger);
}
