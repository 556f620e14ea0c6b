import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyOf, freeId, idFrom } from '#shared/flow-copy.ts';
import { Flow } from '#shared/flow.ts';
import { FlowTests } from '#shared/flow-test.ts';
import { Layout } from '#shared/layout.ts';
import { type Template, TEMPLATE_PURPOSES, TemplateText } from '#shared/template.ts';
import type { FlowRecord } from '../service/flow-types.ts';

/** The folder that ships with Weft; each folder in it is a template. */
const SHIPPED = fileURLToPath(new URL('./shipped', import.meta.url));

/** A template with its tests. */
export interface WholeTemplate extends Template {
  readonly cases: FlowTests;
}

let shipped: Promise<readonly WholeTemplate[]> | undefined;

/** All templates, by purpose and title. They are read once; rejects if a file is damaged. */
export function readTemplates(): Promise<readonly WholeTemplate[]> {
  shipped ??= readFolder(SHIPPED).catch((error: unknown) => {
    shipped = undefined;
    throw error;
  });
  return shipped;
}

async function readFolder(folder: string): Promise<readonly WholeTemplate[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const all = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => readTemplate(join(folder, name), name)),
  );
  const rank = ({ purpose }: Template): number => TEMPLATE_PURPOSES.indexOf(purpose);
  return all.sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title, 'en'));
}

async function readTemplate(folder: string, id: string): Promise<WholeTemplate> {
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8')) as unknown;
  const [text, flow, layout, cases] = await Promise.all([
    json('template.json').then((read) => TemplateText.parse(read)),
    json(`${id}.json`).then((read) => Flow.parse(read)),
    json(`${id}.layout.json`).then((read) => Layout.parse(read)),
    json(`${id}.test.json`).then((read) => FlowTests.parse(read)),
  ]);
  return { ...text, id, flow, layout, tests: cases.cases.length, cases };
}

/** The flow of a template beside those that there are: with an id and paths of its own, and what was chosen for its needs. */
export function flowFrom(
  { flow, title, needs }: Template,
  {
    name = title,
    choices,
  }: { readonly name?: string | undefined; readonly choices: Readonly<Record<string, string>> },
  flows: readonly Pick<FlowRecord, 'id' | 'triggers'>[],
): Flow {
  const id = freeId(idFrom(name) || flow.id, new Set(flows.map((one) => one.id)));
  const paths = new Set(flows.flatMap(({ triggers }) => triggers.flatMap(({ path }) => path ?? [])));
  const chosen = new Map(
    needs.flatMap((need) => {
      const choice = choices[need.name];
      return choice === undefined || choice === need.name ? [] : [[need.name, choice] as const];
    }),
  );
  const copy = copyOf(flow, id, name, paths);
  return chosen.size === 0 ? copy : { ...copy, nodes: replaced(copy.nodes, chosen) as Flow['nodes'] };
}

/** The names of needs are values on their own, so texts that contain them stay as they are. */
function replaced(value: unknown, chosen: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return chosen.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, chosen));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, chosen)]));
}
