import type {
  ImportChange,
  ImportedNode,
  ImportNeed,
  ImportReport,
  ImportWord,
} from '#shared/import-report.ts';

/** Collects the report of a reader about one flow. */
export interface ReportBuilder {
  node(node: ImportedNode): void;
  change(change: ImportChange): void;
  /** Needs of the same kind and name are one, with the nodes of all. */
  need(need: ImportNeed): void;
  /** Notes that a node uses what is needed. */
  use(kind: ImportNeed['kind'], name: string, node: string): void;
  done(flows: readonly string[]): ImportReport;
}

const MOST_TEXT = 2000;

export function createReport({
  product,
  file,
  name,
}: Pick<ImportReport, 'product' | 'file' | 'name'>): ReportBuilder {
  const nodes: ImportedNode[] = [];
  const changes: ImportChange[] = [];
  const needs = new Map<string, ImportNeed>();
  return {
    node: (node) => void nodes.push(node),
    change: (change) =>
      void changes.push({
        ...change,
        ...(change.before !== undefined && { before: change.before.slice(0, MOST_TEXT) }),
        ...(change.after !== undefined && { after: change.after.slice(0, MOST_TEXT) }),
      }),
    need(need) {
      const key = `${need.kind} ${need.name}`;
      const there = needs.get(key);
      const all = there ? [...new Set([...there.nodes, ...need.nodes])] : need.nodes;
      needs.set(key, { ...(there ?? need), nodes: all });
    },
    use(kind, name, node) {
      const there = needs.get(`${kind} ${name}`);
      if (there && !there.nodes.includes(node))
        needs.set(`${kind} ${name}`, { ...there, nodes: [...there.nodes, node] });
    },
    done(flows) {
      const counts: Record<ImportWord, number> = { equal: 0, close: 0, needs: 0, placeholder: 0 };
      for (const { word } of nodes) counts[word] += 1;
      const report = { product, file, name, flows: [...flows], nodes, changes, needs: [...needs.values()] };
      return { ...report, counts, next: nextSteps(report) };
    },
  };
}

const NEEDS: readonly (readonly [ImportNeed['kind'], (name: string) => string])[] = [
  ['package', (name) => `Install the package ${name}: weft add ${name}.`],
  ['model', (name) => `Set up the model ${name} under Models.`],
  ['connection', (name) => `Make the connection ${name}.`],
  ['secret', (name) => `Store or grant the secret ${name}.`],
  ['variable', (name) => `Set the variable ${name}.`],
  ['folder', (name) => `Name the folder ${name} in the settings of the server.`],
  ['knowledge', (name) => `Make the knowledge space ${name} and load its documents.`],
  ['flow', (name) => `Import or draw the flow ${name}.`],
];

/** The next steps for the user, in the order in which they are best taken. */
export function nextSteps({
  nodes,
  changes,
  needs,
}: Pick<ImportReport, 'nodes' | 'changes' | 'needs'>): string[] {
  const steps: string[] = [];
  for (const [kind, step] of NEEDS)
    for (const need of needs) if (need.kind === kind) steps.push(need.message || step(need.name));
  for (const { name, word, offers = [] } of nodes)
    if (word === 'placeholder')
      steps.push(`Replace “${name}”${offers.length > 0 ? `: ${offers.join(', or ')}` : ''}.`);
  const lost = changes.filter(({ effect }) => effect === 'lost').length;
  if (lost > 0)
    steps.push(lost === 1 ? 'Look at what was lost.' : `Look at the ${lost} things that were lost.`);
  if (nodes.some(({ word }) => word === 'close'))
    steps.push('Read the differences of the nodes that are close.');
  steps.push('Run it with an example input, then publish it.');
  return [...new Set(steps)];
}
