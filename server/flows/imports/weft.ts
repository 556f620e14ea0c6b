import { placedNodes } from '#engine/check';
import { Flow } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { createReport } from './frame/report-builder.ts';
import type { GivenFile, Original, Reader } from './frame/reading.ts';

/** Files of flows as they lie in `flows/`: of another server, a repository, a page of the docs. */
export function isWeft({ json }: GivenFile): boolean {
  return (
    isRecord(json) &&
    typeof json['format'] === 'number' &&
    isRecord(json['nodes']) &&
    Array.isArray(json['edges'])
  );
}

/** Why such a file is no flow that this version reads; undefined for one that is. */
export function faultOfWeft({ json }: GivenFile): string | undefined {
  const { error } = Flow.safeParse(json);
  const [issue] = error?.issues ?? [];
  return (
    issue &&
    `It is a flow of Weft with a mistake at ${issue.path.join('.') || 'the top'}: ${issue.message}. Run weft check on it.`
  );
}

/** Every node stays what it is; the id does too, unless another flow has it. */
export const weftReader: Reader = {
  split({ path, json }: GivenFile): Original[] {
    const flow = Flow.parse(json);
    return [{ file: path, key: flow.id, name: flow.id, value: flow }];
  },
  read({ file, name, value }, { id, flowOf }) {
    const flow = value as Flow;
    const report = createReport({ product: 'Weft', file, name: flow.name ?? name });
    for (const { id: node, node: of } of placedNodes(flow.nodes)) {
      report.node({ name: of.name ?? node, type: of.operator, word: 'equal', nodes: [node] });
      const called = of.params?.['flow'];
      if (typeof called === 'string' && (flowOf(called) ?? called) !== called)
        report.change({
          what: 'setting',
          effect: 'changed',
          node: of.name ?? node,
          before: called,
          message: `The flow that it calls has the id ${flowOf(called)} here; choose it again.`,
        });
    }
    if (id !== flow.id)
      report.change({
        what: 'setting',
        effect: 'changed',
        before: flow.id,
        after: id,
        message: `Another flow has the id ${flow.id} here, so this one is ${id}.`,
      });
    return {
      drafts: [{ flow: { ...flow, id }, layout: { format: 1, nodes: {} } }],
      report: report.done([id]),
      drawing: { boxes: [], wires: [] },
      secrets: [],
      pins: {},
    };
  },
};
