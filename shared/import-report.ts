import { z } from 'zod';
import { Flow } from './flow.ts';
import { Layout } from './layout.ts';

/** What an import of another product's file tells before anything is written. It holds no value of a secret. */

/**
 * How close a node comes to what it was. `equal`: the same answers. `close`: the difference is said. `needs`: it is the same
 * once something is set up, such as a connection. `placeholder`: nothing here does it, and the flow cannot go live before it is replaced.
 */
export const ImportWord = z.enum(['equal', 'close', 'needs', 'placeholder']);
export type ImportWord = z.infer<typeof ImportWord>;

export const ImportedNode = z.object({
  name: z.string().describe('Its name in the file.'),
  type: z.string(),
  version: z.number().optional(),
  word: ImportWord,
  nodes: z.array(z.string()).describe('Ids of the nodes that it became; empty for a part of another node.'),
  into: z.string().optional().describe('What it became where that is no node, such as a setting.'),
  difference: z.string().optional().describe('One sentence.'),
  offers: z
    .array(z.string())
    .max(2)
    .optional()
    .describe('For a placeholder: the nearest ways to do the same here.'),
});
export type ImportedNode = z.infer<typeof ImportedNode>;

/** Something besides whole nodes that is lost or not as it was. */
export const ImportChange = z.object({
  what: z.enum(['wire', 'expression', 'setting', 'code', 'secret', 'data']),
  effect: z.enum(['changed', 'lost']),
  node: z.string().optional().describe('The name of its node in the file.'),
  before: z.string().optional().describe('As it is in the file; absent for secrets.'),
  after: z.string().optional(),
  message: z.string().describe('One sentence.'),
});
export type ImportChange = z.infer<typeof ImportChange>;

export const ImportNeed = z.object({
  kind: z.enum(['connection', 'secret', 'flow', 'variable', 'model', 'knowledge', 'folder', 'package']),
  name: z.string().describe('Its name here.'),
  service: z.string().optional().describe('What it signs in to or reaches, such as `google` or a host.'),
  nodes: z.array(z.string()).describe('Ids of the nodes that use it.'),
  message: z.string().describe('One sentence: what to set up.'),
  kept: z
    .boolean()
    .optional()
    .describe(
      'A secret whose value stood in the file: it is stored with the draft, and has only to be granted.',
    ),
});
export type ImportNeed = z.infer<typeof ImportNeed>;

export const ImportReport = z.object({
  product: z.string(),
  file: z.string(),
  name: z.string().describe('Of the flow, in the file.'),
  flows: z.array(z.string()).describe('Ids of the drafts, the main one first.'),
  nodes: z.array(ImportedNode),
  changes: z.array(ImportChange),
  needs: z.array(ImportNeed),
  next: z.array(z.string()).describe('What to do, in order.'),
  counts: z.record(ImportWord, z.int()),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** A box of the drawing in the file, to be shown beside the draft. */
export const ForeignBox = z.object({ name: z.string(), type: z.string(), x: z.number(), y: z.number() });
export const ForeignDrawing = z.object({
  boxes: z.array(ForeignBox),
  wires: z.array(z.object({ from: z.int(), to: z.int() })).describe('Places of boxes in the list.'),
});
export type ForeignDrawing = z.infer<typeof ForeignDrawing>;

export const ImportDraft = z.object({ flow: Flow, layout: Layout });
export type ImportDraft = z.infer<typeof ImportDraft>;

/** What a file would become, or has become. */
export const ImportResult = z.object({
  report: ImportReport,
  drafts: z.array(ImportDraft),
  drawing: ForeignDrawing,
});
export type ImportResult = z.infer<typeof ImportResult>;

export const ImportSummary = z.object({
  flows: z.int().describe('Workflows in the files.'),
  ready: z
    .int()
    .describe('Those without a placeholder or anything lost, which run once what they need is set up.'),
  nodes: z.record(ImportWord, z.int()),
  placeholders: z
    .array(z.object({ type: z.string(), nodes: z.int(), flows: z.int() }))
    .describe('Types that keep flows from running, those of most flows first.'),
});
export type ImportSummary = z.infer<typeof ImportSummary>;

export const ImportAnswer = z.object({
  imports: z.array(ImportResult),
  left: z
    .array(z.object({ file: z.string(), message: z.string() }))
    .describe('Files that were not imported.'),
  summary: ImportSummary,
});
export type ImportAnswer = z.infer<typeof ImportAnswer>;

/** Files to import. */
export const ImportBody = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string().min(1).max(1000).describe('Its name, with the folders that it is in.'),
        text: z.string().describe('Its text.'),
      }),
    )
    .min(1)
    .max(2000)
    .describe(
      'Files of one product or of several, such as n8n. Flows that call each other are sent together.',
    ),
  save: z
    .boolean()
    .default(false)
    .describe(
      'Whether the drafts are stored. Otherwise nothing is written, and the answer says what they would be.',
    ),
  open: z
    .boolean()
    .default(false)
    .describe('Whether triggers that anyone may call stay open; otherwise each asks for an API key.'),
});

/** Whether the flow runs once what it needs is set up. */
export function isReady({ counts, changes }: ImportReport): boolean {
  return (counts.placeholder ?? 0) === 0 && !changes.some(({ effect }) => effect === 'lost');
}

/** The nodes of all reports by how close they come, and the types that nothing here does. */
export function summaryOf(reports: readonly ImportReport[]): ImportSummary {
  const nodes: Record<ImportWord, number> = { equal: 0, close: 0, needs: 0, placeholder: 0 };
  const lacking = new Map<string, { nodes: number; flows: Set<ImportReport> }>();
  for (const report of reports)
    for (const { word, type } of report.nodes) {
      nodes[word] += 1;
      if (word !== 'placeholder') continue;
      const one = lacking.get(type) ?? { nodes: 0, flows: new Set() };
      one.nodes += 1;
      one.flows.add(report);
      lacking.set(type, one);
    }
  return {
    flows: reports.length,
    ready: reports.filter(isReady).length,
    nodes,
    placeholders: [...lacking]
      .map(([type, one]) => ({ type, nodes: one.nodes, flows: one.flows.size }))
      .sort((a, b) => b.flows - a.flows || b.nodes - a.nodes || (a.type < b.type ? -1 : 1)),
  };
}
