import { type DifyApp, type DifyNode, type Fields, listOf, recordOf, textOf } from './app.ts';
import { isNothing } from './settings.ts';

/**
 * Apps without a graph are a model with instructions. They are drawn as the graph that does the same: a start, a search in the documents, the
 * model and its answer. An app with an agent keeps its tools, which makes it a placeholder where they are plugins.
 */
export function withGraph(app: DifyApp): DifyApp {
  const config = app.modelConfig;
  if (!config || app.nodes.length > 0) return app;
  const isChat = app.mode !== 'completion';
  const fields = listOf(config['user_input_form']).map(fieldOf);
  const prompt = promptOf(config, fields);
  const datasets = datasetsOf(config);
  const query = isChat ? ['sys', 'query'] : queryOf(config, fields);
  const nodes: DifyNode[] = [node('start', 'Start', { variables: fields }, 0)];
  if (datasets.length > 0 && app.mode !== 'agent-chat' && query.length > 0)
    nodes.push(
      node(
        'knowledge-retrieval',
        'Documents',
        {
          dataset_ids: datasets,
          query_variable_selector: query,
          multiple_retrieval_config: recordOf(config['dataset_configs']),
        },
        1,
      ),
    );
  nodes.push(
    app.mode === 'agent-chat'
      ? agentNode(app, config, prompt, datasets)
      : modelNode(config, prompt, isChat, datasets),
  );
  if (app.mode !== 'agent-chat') nodes.push(node('answer', 'Answer', { answer: '{{#model.text#}}' }, 3));
  const edges = nodes
    .slice(1)
    .map((to, at) => ({ from: (nodes[at] as DifyNode).id, handle: 'source', to: to.id }));
  return { ...app, nodes, edges, features: { ...config } };
}

function node(type: string, title: string, data: Fields, at: number): DifyNode {
  const id =
    type === 'llm' || type === 'agent-app' ? 'model' : type.replace('knowledge-retrieval', 'documents');
  return {
    id,
    type,
    title,
    data: { type, title, ...data },
    parent: undefined,
    place: { x: at * 300, y: 0 },
    size: {},
  };
}

/** `{ "text-input": { … } }`, one key an entry. */
function fieldOf(entry: unknown): Fields {
  const [[type, field] = ['', {}]] = Object.entries(recordOf(entry));
  return { type: type === 'text-input' ? 'text-input' : type, ...recordOf(field) };
}

/** `{{name}}` is a field of the form; in a chat `{{query}}` is the message. */
function withSelectors(text: string, fields: readonly Fields[]): string {
  const names = new Set(fields.map((one) => textOf(one['variable'])));
  return text.replaceAll(/\{\{\s*([\w-]{1,100})\s*\}\}/g, (all, name: string) =>
    names.has(name) ? `{{#start.${name}#}}` : all,
  );
}

function promptOf(config: Fields, fields: readonly Fields[]): readonly Fields[] {
  const isAdvanced = config['prompt_type'] === 'advanced';
  const chat = listOf(recordOf(config['chat_prompt_config'])['prompt']).map(recordOf);
  if (isAdvanced && chat.length > 0)
    return chat.map((one) => ({ role: one['role'], text: withSelectors(textOf(one['text']), fields) }));
  const text = textOf(config['pre_prompt']);
  return text.trim() === '' ? [] : [{ role: 'system', text: withSelectors(text, fields) }];
}

function datasetsOf(config: Fields): string[] {
  const configs = recordOf(recordOf(config['dataset_configs'])['datasets']);
  const older = listOf(recordOf(config['agent_mode'])['tools']).map((one) =>
    recordOf(recordOf(one)['dataset']),
  );
  const all = [...listOf(configs['datasets']).map((one) => recordOf(recordOf(one)['dataset'])), ...older];
  return [...new Set(all.filter((one) => one['enabled'] !== false).map((one) => textOf(one['id'])))].filter(
    (id) => id !== '',
  );
}

function queryOf(config: Fields, fields: readonly Fields[]): string[] {
  const name = textOf(config['dataset_query_variable']) || textOf(fields[0]?.['variable']);
  return name === '' ? [] : ['start', name];
}

function modelNode(
  config: Fields,
  prompt: readonly Fields[],
  isChat: boolean,
  datasets: readonly string[],
): DifyNode {
  const found = datasets.length === 0 ? [] : [{ role: 'system', text: '{{#context#}}' }];
  const isOnlyInstruction = !isChat && prompt.every(({ role }) => role === 'system');
  return node(
    'llm',
    'Model',
    {
      model: config['model'],
      prompt_template: [
        ...(isOnlyInstruction ? prompt.map((one) => ({ ...one, role: 'user' })) : prompt),
        ...found,
      ],
      ...(isChat && { memory: { window: { enabled: false }, query_prompt_template: '{{#sys.query#}}' } }),
      ...(datasets.length > 0 && { context: { enabled: true, variable_selector: ['documents', 'result'] } }),
      ...(isVision(config) && {
        vision: { enabled: true, configs: { variable_selector: ['sys', 'files'] } },
      }),
    },
    2,
  );
}

function isVision(config: Fields): boolean {
  const upload = recordOf(config['file_upload']);
  return upload['enabled'] === true || recordOf(upload['image'])['enabled'] === true;
}

function agentNode(
  { name }: DifyApp,
  config: Fields,
  prompt: readonly Fields[],
  datasets: readonly string[],
): DifyNode {
  const mode = recordOf(config['agent_mode']);
  const tools = listOf(mode['tools'])
    .map(recordOf)
    .filter((one) => !isNothing(one) && one['dataset'] === undefined && one['enabled'] !== false);
  return node(
    'agent-app',
    name || 'Agent',
    {
      model: config['model'],
      instruction: prompt.map((one) => textOf(one['text'])).join('\n\n'),
      tools,
      datasets,
      max_iteration: mode['max_iteration'],
      strategy: mode['strategy'],
    },
    2,
  );
}
