import { formatOf, type Flow, type FlowNode } from '#shared/flow.ts';
import type { ForeignDrawing, ImportDraft } from '#shared/import-report.ts';
import { isRecord } from '#shared/json.ts';
import type { Layout } from '#shared/layout.ts';
import type { Around, GivenFile, Original, Reader, ReadFlow } from '../frame/reading.ts';
import { createReport } from '../frame/report-builder.ts';
import { createSecretTaker } from '../frame/secrets.ts';
import { withoutTurns } from './chat-turns.ts';
import { convertAll } from './convert.ts';
import { createConnections } from './credentials.ts';
import { addEnd } from './ends.ts';
import { createNaming, type Naming, type Scope, SPREAD } from './graph.ts';
import type { Job } from './job.ts';
import { type Shape, shapeOf } from './loops/loops.ts';
import { entryOf } from './table.ts';
import { finishLinks } from './resume-links.ts';
import { flowSettings } from './flow-settings.ts';
import { readWorkflow, type Step, type Workflow } from './workflow.ts';

/** Reads workflows of n8n: exports of one or many, and answers of its API. */
export const n8nReader: Reader = {
  split({ path, json }: GivenFile): Original[] {
    const data = isRecord(json) && Array.isArray(json['data']) ? json['data'] : json;
    const list: unknown[] = Array.isArray(data) ? data : [data];
    return list.map((value, i) => {
      const file = isRecord(value) ? value : {};
      const name = file['name'];
      const id = file['id'];
      return {
        file: path,
        key: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
        name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : nameOf(path, i),
        value,
      };
    });
  },
  read,
};

function nameOf(path: string, at: number): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/i, '') || 'workflow';
  return at === 0 ? name : `${name} ${at + 1}`;
}

/** Facts about loops that show only at their ends hold from their beginnings, so the workflow is converted once more. */
function read(original: Original, around: Around): ReadFlow {
  const assumed = new Set<string>();
  const idFor = rememberedIds(around);
  for (;;) {
    const found = new Set<string>();
    const result = readOnce(
      original,
      { ...around, idFor: idFor() },
      { assumed, assume: (what) => void found.add(what) },
    );
    const known = assumed.size;
    for (const what of found) assumed.add(what);
    if (assumed.size === known) return result;
  }
}

/** The same ids each time. */
function rememberedIds(around: Around): () => Around['idFor'] {
  const ids = new Map<string, string>();
  return () => {
    const asked = new Map<string, number>();
    return (name) => {
      const count = asked.get(name) ?? 0;
      asked.set(name, count + 1);
      const key = JSON.stringify([name, count]);
      const id = ids.get(key) ?? around.idFor(name);
      ids.set(key, id);
      return id;
    };
  };
}

function readOnce(
  { file, name, value }: Original,
  around: Around,
  assuming: Pick<Job, 'assumed' | 'assume'>,
): ReadFlow {
  const report = createReport({ product: 'n8n', file, name });
  const workflow = withoutTurns(readWorkflow(value, name, report), report);
  const shape = shapeOf(workflow, report);
  const job: Job = {
    workflow,
    around,
    report,
    secrets: createSecretTaker(around.id),
    naming: createNaming(),
    given: new Map(),
    before: shape.before,
    sure: shape.sure,
    parts: partsOf(workflow),
    absorbed: new Map(),
    unused: new Set(),
    within: new Set(),
    more: [],
    connection: createConnections(report),
    readAcross: readAcross(workflow, shape.before),
    convertOf: (kind) => entryOf({ kind })?.convert,
    waiting: new Map(),
    links: new Map(),
    told: new Set(),
    ...assuming,
    answer: 'first',
  };
  const notes = takeNotes(job);
  const main = convertAll(job, shape);
  addEnd(job, main);
  finishLinks(job);
  tellParts(job);
  tellLostParts(job);
  const flow = flowOf(job, main);
  const drafts: ImportDraft[] = [{ flow, layout: layoutOf(job.naming, notes) }, ...job.more];
  return {
    drafts,
    report: report.done(drafts.map((draft) => draft.flow.id)),
    drawing: drawingOf(workflow),
    secrets: job.secrets.found,
    pins: pinsOf(job),
  };
}

function partsOf({ wires, steps }: Workflow): Map<string, { kind: string; step: Step }[]> {
  const parts = new Map<string, { kind: string; step: Step }[]>();
  for (const { from, kind, to } of wires) {
    const step = steps.get(from);
    if (kind !== 'main' && step) parts.set(to, [...(parts.get(to) ?? []), { kind, step }]);
  }
  return parts;
}

const READS_OWN = /\.item\b|\.pairedItem\b/;

/** The steps before a step that are read by steps behind it. */
function readAcross({ steps }: Workflow, before: Shape['before']): Job['readAcross'] {
  const readers = [...steps.values()].flatMap(({ name, parameters }) => {
    const text = JSON.stringify(parameters);
    if (!READS_OWN.test(text)) return [];
    const above = before.get(name) ?? new Set<string>();
    // As they are written within a text of JSON.
    const read = [...above].filter((one) => text.includes(JSON.stringify(one).slice(1, -1)));
    return read.length > 0 ? [{ name, above, read }] : [];
  });
  return (step, itself) => {
    const all = readers.filter(({ name, above }) => above.has(step) || (itself && name === step));
    const earlier = before.get(step);
    return [...new Set(all.flatMap(({ read }) => read.filter((one) => earlier?.has(one) === true)))];
  };
}

type Notes = NonNullable<Layout['notes']>;

/** Sticky notes are no nodes. */
function takeNotes({ workflow, absorbed }: Job): Notes {
  const notes: Notes = [];
  for (const { kind, name, parameters, position } of workflow.steps.values()) {
    if (kind !== 'stickyNote') continue;
    absorbed.set(name, { into: 'a note' });
    const size = (field: string, otherwise: number): number =>
      (typeof parameters[field] === 'number' && parameters[field] > 0 ? parameters[field] : otherwise) *
      SPREAD;
    const text = parameters['content'];
    notes.push({
      id: `note_${notes.length + 1}`,
      text: typeof text === 'string' ? text.slice(0, 20_000) : '',
      x: position.x * SPREAD,
      y: position.y * SPREAD,
      width: size('width', 240),
      height: size('height', 160),
    });
  }
  return notes;
}

/** Notes and parts of other nodes, and parts that no node has taken. */
function tellParts({ workflow, report, absorbed, given }: Job): void {
  for (const { name, type, version } of workflow.steps.values()) {
    if (given.has(name)) continue;
    const part = absorbed.get(name);
    report.node(
      part
        ? {
            name,
            type,
            version,
            word: part.difference === undefined ? 'equal' : 'close',
            nodes: [],
            into: part.into,
            ...(part.difference !== undefined && { difference: part.difference }),
          }
        : {
            name,
            type,
            version,
            word: 'placeholder',
            nodes: [],
            difference: 'It is a part of a node that does not take it here.',
            offers: [],
          },
    );
  }
}

/** Parts that hang on a node which does not take them. */
function tellLostParts({ workflow, report, absorbed }: Job): void {
  for (const { from, kind, to } of workflow.wires)
    if (kind !== 'main' && !absorbed.has(from))
      report.change({
        what: 'wire',
        effect: 'lost',
        node: from,
        before: `${from} → ${to} (${kind})`,
        message: `“${to}” does not take it here.`,
      });
}

function flowOf(job: Job, { nodes, edges }: Scope): Flow {
  const { around, workflow } = job;
  const all = Object.fromEntries(nodes) as Record<string, FlowNode>;
  return {
    format: formatOf({ nodes: all, edges }),
    id: around.id,
    name: workflow.name.slice(0, 200),
    ...flowSettings(job),
    nodes: all,
    edges,
  };
}

function layoutOf({ places }: Naming, notes: Notes): Layout {
  return { format: 1, nodes: Object.fromEntries(places), ...(notes.length > 0 && { notes }) };
}

function drawingOf({ steps, wires }: Workflow): ForeignDrawing {
  const names = [...steps.keys()];
  const places = new Map(names.map((name, i) => [name, i]));
  return {
    boxes: [...steps.values()].map(({ name, type, position }) => ({ name, type, ...position })),
    wires: wires.map(({ from, to }) => ({ from: places.get(from) as number, to: places.get(to) as number })),
  };
}

/** Pinned items are those of the node that gives them here. */
function pinsOf({ workflow, given, report }: Job): Record<string, unknown> {
  const pins: Record<string, unknown> = {};
  for (const [name, items] of Object.entries(workflow.pins)) {
    const { item: port, own } = given.get(name) ?? {};
    if (!port || !Array.isArray(items)) {
      report.change({
        what: 'data',
        effect: 'lost',
        node: name,
        message: 'Its pinned data belongs to no node here.',
      });
      continue;
    }
    const values = items.map((one: unknown) => (isRecord(one) && 'json' in one ? one['json'] : one));
    const [id = '', output = 'out'] = (own ?? port.ref).split('.');
    pins[id] = { [output]: port.card === 'many' ? values : (values[0] ?? null) };
  }
  return pins;
}
