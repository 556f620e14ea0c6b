import { stringify } from 'yaml';

/** A node of an app, in short: its type and its settings. */
export interface ShortNode {
  readonly type: string;
  readonly in?: string;
  readonly [setting: string]: unknown;
}

export interface ShortApp {
  readonly mode?: string;
  readonly name?: string;
  readonly version?: string;
  readonly nodes: Readonly<Record<string, ShortNode>>;
  /** `a > b`, or `a/handle > b` for one of several ways out. */
  readonly edges: readonly string[];
  readonly workflow?: Readonly<Record<string, unknown>>;
}

/** The app as Dify's export has it, before it is written as YAML. */
export function difyApp({
  mode = 'workflow',
  name = 'An app',
  version = '0.3.1',
  nodes,
  edges,
  workflow = {},
}: ShortApp): Record<string, unknown> {
  const all = Object.entries(nodes).map(([id, { in: parentId, ...data }], at) => ({
    data: { desc: '', selected: false, title: id, ...data },
    height: 54,
    id,
    ...(parentId !== undefined && { parentId }),
    position: { x: 30 + at * 304, y: 300 },
    positionAbsolute: { x: 30 + at * 304, y: 300 },
    type:
      data.type === 'custom-note'
        ? 'custom-note'
        : ['iteration-start', 'loop-start'].includes(data.type)
          ? `custom-${data.type}`
          : 'custom',
    width: 244,
  }));
  return {
    app: {
      description: '',
      icon: '🤖',
      icon_background: '#FFEAD5',
      mode,
      name,
      use_icon_as_answer_icon: false,
    },
    dependencies: [],
    kind: 'app',
    version,
    workflow: {
      conversation_variables: [],
      environment_variables: [],
      features: { file_upload: { enabled: false }, opening_statement: '', suggested_questions: [] },
      graph: { nodes: all, edges: edges.map(edgeOf), viewport: { x: 0, y: 0, zoom: 1 } },
      ...workflow,
    },
  };
}

function edgeOf(text: string): Record<string, unknown> {
  const [from = '', target = ''] = text.split(' > ');
  const [source = '', sourceHandle = 'source'] = from.split('/');
  return {
    id: `${source}-${sourceHandle}-${target}`,
    source,
    sourceHandle,
    target,
    targetHandle: 'target',
    type: 'custom',
  };
}

export function difyYaml(app: ShortApp): string {
  return stringify(difyApp(app));
}

export const model = {
  provider: 'langgenius/stand/stand',
  name: 'm',
  mode: 'chat',
  completion_params: { temperature: 0.3 },
};

export const field = (variable: string, type = 'text-input', more: object = {}) => ({
  variable,
  label: variable,
  type,
  required: true,
  ...more,
});
export const output = (variable: string, ...value_selector: string[]) => ({
  variable,
  value_selector,
  value_type: 'string',
});
export const condition = (
  variable_selector: string[],
  comparison_operator: string,
  value: unknown = '',
  varType = 'string',
) => ({ variable_selector, comparison_operator, value, varType });
