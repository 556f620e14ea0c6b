import { isRecord } from '#shared/json.ts';
import type { ReportBuilder } from '../frame/report-builder.ts';

/** A workflow of n8n as far as it is read: lenient, since files of all its versions differ. */

export interface Step {
  readonly name: string;
  /** Without the name of its package: `httpRequest`. */
  readonly kind: string;
  readonly type: string;
  readonly version: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly credentials: readonly Credential[];
  readonly position: { readonly x: number; readonly y: number };
  /** The other fields of the node: `disabled`, `onError`, `retryOnFail`, … */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Credential {
  /** Such as `googleSheetsOAuth2Api`. */
  readonly type: string;
  readonly name: string;
}

export interface Wire {
  readonly from: string;
  /** `main`, or the kind of a part of an agent: `ai_tool`. */
  readonly kind: string;
  readonly output: number;
  readonly to: string;
  readonly input: number;
}

export interface Workflow {
  readonly name: string;
  readonly steps: ReadonlyMap<string, Step>;
  readonly wires: readonly Wire[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly pins: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly active: boolean;
}

/** No workflow that people draw has more; the work of a conversion grows with the square of them. */
const MOST_STEPS = 2000;
const MOST_WIRES = 20_000;

/** Types of n8n's own packages, whose names are left out. */
const OWN = /^(?:n8n-nodes-base|@n8n\/n8n-nodes-langchain)\./;

export function readWorkflow(value: unknown, name: string, report: ReportBuilder): Workflow {
  const file = isRecord(value) ? value : {};
  const steps = readSteps(file['nodes'], report);
  const tags = Array.isArray(file['tags']) ? file['tags'] : [];
  return {
    name,
    steps,
    wires: readWires(file['connections'], steps, report),
    settings: isRecord(file['settings']) ? file['settings'] : {},
    pins: isRecord(file['pinData']) ? file['pinData'] : {},
    tags: tags.flatMap((tag) => tagName(tag)),
    active: file['active'] === true,
  };
}

function tagName(tag: unknown): string[] {
  const name = isRecord(tag) ? tag['name'] : tag;
  return typeof name === 'string' && name.trim() !== '' ? [name.trim()] : [];
}

function readSteps(given: unknown, report: ReportBuilder): Map<string, Step> {
  const steps = new Map<string, Step>();
  const list = Array.isArray(given) ? given : [];
  tellMore(
    report,
    [list.length, MOST_STEPS],
    (all, first) => `It has ${all} nodes; the first ${first} are read.`,
  );
  list.slice(0, MOST_STEPS).forEach((one, i) => {
    if (!isRecord(one) || typeof one['type'] !== 'string') {
      report.node({
        name: `node ${i + 1}`,
        type: 'unknown',
        word: 'placeholder',
        nodes: [],
        difference: 'It has no type, so nothing is known of it.',
        offers: [],
      });
      return;
    }
    const step = readStep(one, one['type'], i);
    if (steps.has(step.name)) {
      // Wires and expressions find nodes by their names, so the first one has them.
      report.change({
        what: 'data',
        effect: 'changed',
        node: step.name,
        message: 'Two nodes have this name; the wires and expressions with it belong to the first one.',
      });
    }
    steps.set(freeName(step.name, steps), step);
  });
  return steps;
}

/** Tells that a file has more than is read. */
function tellMore(
  report: ReportBuilder,
  [count, most]: readonly [count: number, most: number],
  words: (all: string, first: string) => string,
): void {
  if (count <= most) return;
  const message = words(count.toLocaleString('en'), most.toLocaleString('en'));
  report.change({ what: 'data', effect: 'lost', message });
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n++) if (!taken.has(`${name} (${n})`)) return `${name} (${n})`;
}

function readStep(node: Readonly<Record<string, unknown>>, type: string, at: number): Step {
  const { name, typeVersion, parameters, position, credentials, type: _type, id: _id, ...settings } = node;
  return {
    name: typeof name === 'string' && name !== '' ? name : `Node ${at + 1}`,
    kind: OWN.test(type) ? type.replace(OWN, '') : type,
    type,
    version: typeof typeVersion === 'number' && Number.isFinite(typeVersion) ? typeVersion : 1,
    parameters: isRecord(parameters) ? parameters : {},
    credentials: readCredentials(credentials),
    position: readPosition(position, at),
    settings,
  };
}

function readCredentials(given: unknown): Credential[] {
  if (!isRecord(given)) return [];
  return Object.entries(given).map(([type, one]) => {
    const name = isRecord(one) ? one['name'] : one;
    return { type, name: typeof name === 'string' ? name : type };
  });
}

function readPosition(given: unknown, at: number): { x: number; y: number } {
  const [x, y] = Array.isArray(given) ? given : isRecord(given) ? [given['x'], given['y']] : [];
  const isPlace = (one: unknown): one is number => typeof one === 'number' && Math.abs(one) < 1e7;
  return isPlace(x) && isPlace(y) ? { x, y } : { x: at * 220, y: 0 };
}

function readWires(given: unknown, steps: ReadonlyMap<string, Step>, report: ReportBuilder): Wire[] {
  const wires = new Map<string, Wire>();
  const all = [...allWires(given)];
  tellMore(
    report,
    [all.length, MOST_WIRES],
    (count, first) => `It has ${count} wires; the first ${first} are read.`,
  );
  for (const wire of all.slice(0, MOST_WIRES)) {
    const { from, to, input } = wire;
    if (to === undefined || !steps.has(from) || !steps.has(to))
      report.change({
        what: 'wire',
        effect: 'lost',
        before: `${from} → ${to ?? 'nothing'}`,
        message: 'It leads from or to a node that the file does not have.',
      });
    else {
      const place = typeof input === 'number' && input >= 0 && input < 1000 ? Math.trunc(input) : 0;
      const whole = { ...wire, to, input: place };
      wires.set(JSON.stringify(whole), whole);
    }
  }
  return [...wires.values()];
}

type Given = Omit<Wire, 'to' | 'input'> & { readonly to: string | undefined; readonly input: unknown };

/** The ends of all wires, as they are written: by name of node, kind and output. */
function* allWires(given: unknown): Generator<Given> {
  for (const [from, kinds] of entriesOf(given))
    for (const [kind, outputs] of entriesOf(kinds))
      for (const [output, ends] of listOf(outputs).entries())
        yield* listOf(ends).map((end) => ({ from, kind, output, ...endOf(end) }));
}

function endOf(end: unknown): Pick<Given, 'to' | 'input'> {
  const { node, index = 0 } = isRecord(end) ? end : {};
  return { to: typeof node === 'string' ? node : undefined, input: index };
}

const entriesOf = (given: unknown): [string, unknown][] => (isRecord(given) ? Object.entries(given) : []);
const listOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : []);

/** Wires that carry items. */
export const isMain = ({ kind }: Wire): boolean => kind === 'main';
