import { placedNodes } from '#engine/check';
import { type Flow, FORMAT, formatOf } from '#shared/flow.ts';
import type { ForeignDrawing } from '#shared/import-report.ts';
import type { Layout } from '#shared/layout.ts';
import { createReport, type ReportBuilder } from '../frame/report-builder.ts';
import type { Around, GivenFile, Original, Reader, ReadFlow } from '../frame/reading.ts';
import { createSecretTaker } from '../frame/secrets.ts';
import {
  appOf,
  type DifyApp,
  type DifyNode,
  type Fields,
  listOf,
  MOST_NODES,
  recordOf,
  textOf,
} from './app.ts';
import { withGraph } from './model-app.ts';
import { readYaml } from './read-yaml.ts';
import { isNothing } from './settings.ts';
import { titleOf } from './state.ts';
import { type Drawn, translateGraph } from './translate.ts';

export const MODES = ['workflow', 'advanced-chat', 'agent-chat', 'chat', 'completion'];
/** The newest version of the format whose files were looked at. */
const NEWEST = [0, 6] as const;

/** Reads exports of apps of Dify (YAML or JSON, versions 0.1 to 0.6). */
export const difyReader: Reader = {
  split: ({ path, text, json }: GivenFile): Original[] => {
    const read = json === undefined ? readYaml(text) : { ok: true as const, value: json };
    const name = read.ok ? textOf(recordOf(recordOf(read.value)['app'])['name']).trim() : '';
    return [{ file: path, key: undefined, name: name || nameOf(path), value: read }];
  },
  read: readApp,
};

function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/\.[a-z]+$/i, '') || 'app';
}

function readApp({ file, name, value }: Original, { id }: Around): ReadFlow {
  const report = createReport({ product: 'Dify', file, name });
  const secrets = createSecretTaker(id);
  const read = value as ReturnType<typeof readYaml>;
  if (!read.ok) report.change({ what: 'data', effect: 'lost', message: read.message });
  const given = appOf(read.ok ? read.value : {});
  const app = withGraph(given);
  tellAbout(report, read.ok ? read.value : {}, given);
  const drawn = translateGraph({ app, flow: id, report, secrets });
  const flow: Flow = {
    format: FORMAT,
    id,
    name: name.slice(0, 200),
    ...(app.description !== '' && { description: app.description.slice(0, 10_000) }),
    nodes: drawn.nodes,
    edges: drawn.edges,
  };
  const layout: Layout = { format: 1, nodes: placesOf(drawn), ...notesOf(app.nodes) };
  return {
    drafts: [{ flow: { ...flow, format: formatOf(flow) }, layout }],
    report: report.done([id]),
    drawing: drawingOf(app),
    secrets: secrets.found,
    pins: {},
  };
}

/** Nodes of bodies too; what became a placeholder in the end is not drawn. */
function placesOf({ nodes, places }: Drawn): Layout['nodes'] {
  const known = new Set([...placedNodes(nodes)].map(({ id }) => id));
  return Object.fromEntries([...places].filter(([id]) => known.has(id)));
}

function notesOf(nodes: readonly DifyNode[]): Pick<Layout, 'notes'> {
  const notes = nodes
    .filter(({ type }) => type === 'custom-note')
    .map(({ data, place, size }, at) => ({
      id: `note_${at + 1}`,
      text: noteText(data['text']),
      x: place.x * 2,
      y: place.y * 1.4,
      ...size,
    }))
    .filter(({ text }) => text !== '');
  return notes.length > 0 ? { notes } : {};
}

function drawingOf({ nodes, edges }: DifyApp): ForeignDrawing {
  const shown = nodes.filter(({ type }) => type !== 'custom-note');
  const places = new Map(shown.map(({ id }, at) => [id, at]));
  return {
    boxes: shown.map((node) => ({ name: titleOf(node), type: node.type, ...node.place })),
    wires: edges.flatMap(({ from, to }) => {
      const [a, b] = [places.get(from), places.get(to)];
      return a === undefined || b === undefined ? [] : [{ from: a, to: b }];
    }),
  };
}

/** Reports everything besides the nodes: the mode, the version, and the features of the app's page. */
function tellAbout(report: ReportBuilder, value: unknown, app: DifyApp): void {
  const tell = (effect: 'changed' | 'lost', message: string, before?: string): void =>
    report.change({
      what: 'setting',
      effect,
      message,
      ...(before !== undefined && { before: before.slice(0, 500) }),
    });
  if (!MODES.includes(app.mode))
    tell('lost', `Apps of the mode “${app.mode.slice(0, 40)}” are not known; known are ${MODES.join(', ')}.`);
  if (isNewer(app.version))
    tell(
      'changed',
      `The file has the version ${app.version}, which is newer than those that were looked at (${NEWEST.join('.')}). Check every node.`,
    );
  const all = listOf(recordOf(recordOf(recordOf(value)['workflow'])['graph'])['nodes']).length;
  if (all > MOST_NODES) tell('lost', `The app has ${all} nodes; only the first ${MOST_NODES} are read.`);
  const hasGraph = app.nodes.length > 0;
  if (!hasGraph && app.modelConfig === undefined) tell('lost', 'The file has no nodes.');
  for (const [name, one] of Object.entries(hasGraph ? app.features : (app.modelConfig ?? {})))
    feature(tell, name, one);
  for (const { name, type } of app.conversation)
    tell(
      'changed',
      `The variable ${name.slice(0, 80)} of the conversation (${type.slice(0, 40)}) is stored as state of the flow.`,
    );
}

/** Features of the page that Dify has for an app, in one sentence each. */
const FEATURES: Readonly<Record<string, string>> = {
  opening_statement: 'A chat of a flow begins without an opening statement',
  suggested_questions: 'A chat of a flow suggests no questions',
  suggested_questions_after_answer: 'A chat of a flow suggests no further questions after an answer',
  speech_to_text: 'Nothing turns speech into text',
  text_to_speech: 'Nothing turns text into speech',
  sensitive_word_avoidance: 'Nothing filters words',
  more_like_this: 'There is no “more like this”',
  annotation_reply: 'Annotated answers are not kept',
  external_data_tools: 'Tools for data from outside are left out',
};

/** Parts of the settings of an app that its graph says already. */
const READ = new Set(
  'file_upload retriever_resource model pre_prompt prompt_type user_input_form dataset_configs agent_mode chat_prompt_config completion_prompt_config dataset_query_variable id app_id created_at updated_at provider model_id configs suggested_questions_after_answer_prompt'.split(
    ' ',
  ),
);

function feature(
  tell: (effect: 'changed', message: string, before?: string) => void,
  name: string,
  value: unknown,
): void {
  if (READ.has(name) || isNothing(value)) return;
  const known = Object.hasOwn(FEATURES, name)
    ? FEATURES[name]
    : `The setting ${name.slice(0, 80)} has no counterpart`;
  tell('changed', `${known}; it is left out.`, `${name}: ${JSON.stringify(shown(value))}`);
}

/** Settings of services may hold keys. */
function shown(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value as Fields).map((key) => [key, '…']))
    : value;
}

function isNewer(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major > NEWEST[0] || (major === NEWEST[0] && minor > NEWEST[1]);
}

const LONGEST_NOTE = 20_000;

/** The plain text of a note, which Dify keeps as a tree of JSON in a text: its paragraphs and lists, line by line. */
function noteText(given: unknown): string {
  const text = textOf(given);
  try {
    const root = recordOf(recordOf(JSON.parse(text))['root']);
    return listOf(root['children'])
      .map((one) => inner(one, 0))
      .join('\n')
      .trim()
      .slice(0, LONGEST_NOTE);
  } catch {
    return text.slice(0, LONGEST_NOTE);
  }
}

function inner(value: unknown, depth: number): string {
  if (depth > 50) return '';
  const node = recordOf(value);
  if (node['type'] === 'linebreak') return '\n';
  const own = textOf(node['text']);
  const separator = node['type'] === 'list' ? '\n' : '';
  return (
    own +
    listOf(node['children'])
      .map((one) => inner(one, depth + 1))
      .join(separator)
  );
}
