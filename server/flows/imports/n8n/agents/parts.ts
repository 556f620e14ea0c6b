import { isRecord } from '#shared/json.ts';
import { idFrom, idSource } from '../../../awel/names.ts';
import { type Context, tellUnread } from '../context.ts';
import { COMMUNITY, communitySource, ownSource } from './mcp-servers.ts';
import {
  calculator,
  description,
  type Made,
  searXng,
  serpApi,
  type Tool,
  wolframAlpha,
  writtenCode,
} from './own-tools.ts';
import { asText, paramsOf } from '../params.ts';
import { SERVICE_TOOLS, serviceFlow } from './service-tools.ts';
import type { Step } from '../workflow.ts';

/** The parts of an agent or of a call of a model: the model, tools. */

export function tellPart({ step, job }: Context, part: Step, what: string, difference?: string): void {
  if (!job.absorbed.has(part.name)) tellUnused({ job, step: part });
  if (part.kind.startsWith('reranker') && !job.absorbed.has(part.name))
    job.report.change({
      what: 'setting',
      effect: 'lost',
      node: part.name,
      message: 'Passages are not ranked again here; knowledge.rerank behind a search does that.',
    });
  job.absorbed.set(part.name, {
    into: `${what} of “${step.name}”`,
    ...(difference !== undefined && { difference }),
  });
}

/** The params of parts that are read by the node they hang on, or that only choose between other params. */
const READ_OF: readonly (readonly [kind: RegExp, paths: readonly string[]])[] = [
  [/^lm[A-Z]/, ['model', 'modelName', 'modelId', 'deploymentName', 'options', 'responsesApiEnabled']],
  [/^memory/, ['sessionKey', 'sessionIdType', 'contextWindowLength', 'notice']],
  [/^outputParser/, ['schemaType', 'jsonSchemaExample', 'inputSchema', 'jsonSchema', 'autoFix', 'notice']],
  [/^toolWorkflow$/, ['name', 'description', 'workflowId', 'source']],
  [/^tool(?:SerpApi|SearXng)$/, ['options']],
  [/^modelSelector$/, ['numberInputs', 'rules']],
  [/^toolHttpRequest$/, ['name', 'toolDescription', 'url', 'method']],
  [
    /^mcpClientTool$/,
    [
      'endpointUrl',
      'sseEndpoint',
      'serverTransport',
      'authentication',
      'include',
      'includeTools',
      'excludeTools',
    ],
  ],
  [/mcp\.mcpClientTool$/, ['operation', 'connectionType', 'uriOverride', 'headersOverride', 'toolName']],
  [/mcp\.mcpClientTool$/, ['toolParameters', 'toolDescription', 'descriptionType']],
  [/^tool(?:Code|Calculator|Think|VectorStore)$/, ['name', 'description', 'jsCode', 'language']],
  [/^agentTool$/, ['toolDescription', 'promptType', 'text', 'options.systemMessage', 'hasOutputParser']],
  [
    /^vectorStore/,
    [
      'mode',
      'toolName',
      'toolDescription',
      'pineconeIndex',
      'qdrantCollection',
      'tableName',
      'memoryKey',
      'collection',
      'mongoCollection',
      'weaviateCollection',
      'milvusCollection',
    ],
  ],
  [/^reranker/, ['modelName', 'topN']],
  [/^retriever/, ['topK']],
  [/^document/, ['dataType', 'binaryMode', 'loader', 'textSplittingMode']],
];

/** Reports settings of a part that nothing reads. */
function tellUnused({ job, step }: Pick<Context, 'job' | 'step'>): void {
  if (SERVICE_TOOLS.includes(step.kind)) return;
  const params = paramsOf(step.parameters);
  for (const [kind, paths] of READ_OF) if (kind.test(step.kind)) params.skip(...paths);
  tellUnread({ params, job, step });
}

/** Providers by the type of the model there. */
const PROVIDERS: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/AzureOpenAi/i, 'azure'],
  [/OpenAi/i, 'openai'],
  [/Anthropic/i, 'anthropic'],
  [/Gemini|Google|Vertex/i, 'google'],
  [/OpenRouter/i, 'openrouter'],
  [/Ollama/i, 'ollama'],
  [/Groq/i, 'groq'],
  [/Mistral/i, 'mistral'],
  [/DeepSeek/i, 'deepseek'],
  [/XAi/i, 'xai'],
  [/Bedrock/i, 'bedrock'],
  [/Cohere/i, 'cohere'],
  [/HuggingFace/i, 'huggingface'],
];

/** The models among which a part chooses by rules, or the model itself. */
function chosen(context: Context, part: Step): readonly Step[] {
  if (part.kind !== 'modelSelector') return [part];
  const models = (context.job.parts.get(part.name) ?? []).map(({ step }) => step);
  tellPart(context, part, 'the model', 'It chose a model by rules; here it is the first one.');
  context.changed(
    'setting',
    `“${part.name}” chose among ${models.length} models by rules; here it is the first one. An expression in \`model\` can choose.`,
    { before: JSON.stringify(part.parameters['rules'] ?? {}).slice(0, 1000), lost: true },
  );
  return models;
}

/** The model of a node, as `provider/model`; the first one if there are several. */
export function modelOf(context: Context): string | undefined {
  const { job, step } = context;
  const [part, ...more] = context.parts('ai_languageModel').flatMap((one) => chosen(context, one));
  for (const one of more)
    tellPart(
      context,
      one,
      'a second model',
      'Another model is not tried after a failure; the strategy of an app can.',
    );
  if (part === undefined) return undefined;
  const provider = PROVIDERS.find(([pattern]) => pattern.test(part.kind))?.[1] ?? 'provider';
  const given = ['model', 'modelName', 'modelId', 'deploymentName']
    .map((name) => part.parameters[name])
    .find((one) => one !== undefined && one !== '');
  const value = isRecord(given) ? given['value'] : given;
  const name =
    typeof value === 'string' && !value.startsWith('=') ? value.replace(/^models\//, '') : 'default';
  const options = isRecord(part.parameters['options']) ? Object.keys(part.parameters['options']) : [];
  tellPart(
    context,
    part,
    'the model',
    options.length > 0 ? `Its options (${options.join(', ')}) are settings of the model here.` : undefined,
  );
  const model = `${provider}/${name}`.slice(0, 200);
  job.report.need({
    kind: 'model',
    name: model,
    nodes: [],
    service: provider,
    message: `Set up a provider with the model ${model}, or choose another one in “${step.name}”.`,
  });
  return model;
}

/** Tools of an agent; those without a counterpart are reported. */
export function toolsOf(context: Context): Tool[] {
  const nameOf = idSource([]);
  return context.parts('ai_tool').flatMap((part): Tool[] => {
    const make = TOOLS[part.kind] ?? (part.kind.startsWith('vectorStore') ? knowledgeTool : undefined);
    const name = nameOf(idFrom(asText(part.parameters['name'] ?? part.name), 'tool')).slice(0, 64);
    const made = (make ?? serviceTool)(context, part, name);
    if ('why' in made) {
      context.changed(
        'setting',
        `The tool “${part.name}” (${part.type}) is not there, since ${made.why}: make a flow that does it, and give that to the agent.`,
        { before: part.name, lost: true },
      );
      return [];
    }
    tellPart(context, part, 'a tool', made.difference);
    for (const { step } of context.job.parts.get(part.name) ?? []) tellPart(context, step, 'a tool');
    return made.tool ? [made.tool] : [];
  });
}

const TOOLS: Readonly<
  Record<string, (context: Context, part: Step, name: string) => Made | { readonly why: string }>
> = {
  toolThink: () => ({ difference: 'Models think without a tool for it.' }),
  toolWorkflow(context, part, name) {
    const given = part.parameters['workflowId'];
    const key = asText(isRecord(given) ? given['value'] : (given ?? ''));
    const shown = asText(isRecord(given) ? (given['cachedResultName'] ?? key) : key);
    const flow =
      context.job.around.flowOf(key) ?? context.job.around.flowOf(shown) ?? idFrom(shown, 'tool_flow');
    if (context.job.around.flowOf(key) === undefined)
      context.job.report.need({
        kind: 'flow',
        name: flow,
        nodes: [],
        message: `Import the workflow “${shown}” too, as the flow ${flow}: “${context.step.name}” has it as a tool.`,
      });
    return {
      tool: { type: 'flow', name, value: { flow, description: description(part) } },
      difference: 'The flow has to be live; its trigger says which arguments it takes.',
    };
  },
  toolHttpRequest: httpTool,
  toolWikipedia: (_, part, name) => ({
    tool: {
      type: 'http',
      name,
      value: {
        url: 'https://en.wikipedia.org/w/api.php?action=query&format=json&generator=search&gsrlimit=3&prop=extracts&exintro=1&explaintext=1&gsrsearch={query}',
        method: 'GET',
        description: description(part) || 'Finds articles of Wikipedia, and gives how they begin.',
      },
    },
    difference: 'It gives how the first three articles begin.',
  }),
  toolSerpApi: serpApi,
  toolWolframAlpha: wolframAlpha,
  toolSearXng: searXng,
  mcpClientTool: (context, part, name) => ({
    tool: { type: 'mcp', name, value: ownSource(context, part).value },
  }),
  [`${COMMUNITY}Tool`](context, part, name) {
    const source = communitySource(context, part);
    if (source === undefined) return serviceTool(context, part, name);
    const { value, difference } = source;
    return {
      ...(value !== undefined && { tool: { type: 'mcp', name, value } }),
      ...(difference !== undefined && { difference }),
    };
  },
  toolCode: writtenCode,
  toolCalculator: calculator,
  toolVectorStore: knowledgeTool,
};

/** Values that the model fills in stand in braces in both. */
function httpTool(_: Context, { parameters, ...part }: Step, name: string): Made {
  const url = asText(parameters['url'] ?? '');
  const method = asText(parameters['method'] ?? 'GET');
  const value = { url: url.replace(/^=/, ''), method, description: description({ parameters, ...part }) };
  return {
    tool: { type: 'http', name, value },
    difference: 'Arguments are the names in braces of the address; headers and sign-ins have to be set.',
  };
}

/** The space of a store that is a tool, or hangs on one. */
function knowledgeTool(context: Context, part: Step, name: string): Made {
  const store =
    (context.job.parts.get(part.name) ?? []).find(({ kind }) => kind === 'ai_vectorStore')?.step ?? part;
  const space = spaceOf(context, store);
  for (const { step } of context.job.parts.get(store.name) ?? [])
    tellPart(context, step, 'the knowledge space');
  return {
    tool: { type: 'knowledge', name, value: { space, description: description(part) } },
    difference: 'Its documents have to be loaded into the knowledge space.',
  };
}

/** The knowledge space that stands for an index or a table of vectors. */
export function spaceOf({ job, step }: Context, { parameters, name }: Step): string {
  const given = [
    'pineconeIndex',
    'qdrantCollection',
    'tableName',
    'memoryKey',
    'collection',
    'mongoCollection',
    'weaviateCollection',
    'milvusCollection',
  ]
    .map((key) => parameters[key])
    .find((one) => one !== undefined);
  const value = isRecord(given) ? given['value'] : given;
  const space = idFrom(asText(value ?? name), 'knowledge');
  job.report.need({
    kind: 'knowledge',
    name: space,
    nodes: [],
    message: `Make the knowledge space ${space} for “${step.name}”, and load its documents.`,
  });
  return space;
}

/** A flow of its own, with the operator of the service. */
export function serviceTool(context: Context, part: Step, name: string): Made | { readonly why: string } {
  const made = serviceFlow(context, part, name);
  if ('why' in made) return made;
  return {
    tool: { type: 'flow', name, value: { flow: made.flow, description: saidOf(part) } },
    difference: 'It is a flow of its own, which has to be live; the model sees what the service answers.',
  };
}

/** Its description, else what it does there. */
function saidOf({ parameters, kind }: Step): string {
  const { toolDescription: given, resource = '', operation = '' } = parameters;
  if (typeof given === 'string' && given !== '') return given.replace(/^=/, '');
  return `${kind.replace(/Tool$/, '')}: ${asText(resource)} ${asText(operation)}`.trim();
}

/** Types that are only parts of others, for the table. */
export const PART_KINDS: readonly (readonly [kind: string, becomes: string, word: 'equal' | 'close'])[] = [
  ['lmChatOpenAi', 'the model of an agent', 'equal'],
  ['lmChatGoogleGemini', 'the model of an agent', 'equal'],
  ['lmChatOpenRouter', 'the model of an agent', 'equal'],
  ['lmChatAnthropic', 'the model of an agent', 'equal'],
  ['lmChatAzureOpenAi', 'the model of an agent', 'equal'],
  ['lmChatGroq', 'the model of an agent', 'equal'],
  ['lmChatOllama', 'the model of an agent', 'equal'],
  ['lmChatMistralCloud', 'the model of an agent', 'equal'],
  ['lmChatDeepSeek', 'the model of an agent', 'equal'],
  ['lmChatXAiGrok', 'the model of an agent', 'equal'],
  ['lmChatGoogleVertex', 'the model of an agent', 'equal'],
  ['lmChatAwsBedrock', 'the model of an agent', 'equal'],
  ['lmOpenAi', 'the model of an agent', 'equal'],
  ['lmOllama', 'the model of an agent', 'equal'],
  ['lmOpenHuggingFaceInference', 'the model of an agent', 'equal'],
  ['modelSelector', 'the model of an agent: the first of those it chooses among', 'close'],
  ['memoryBufferWindow', '`state.get` and `state.set` around the agent', 'close'],
  ['memoryPostgresChat', '`state.get` and `state.set` around the agent', 'close'],
  ['memoryRedisChat', '`state.get` and `state.set` around the agent', 'close'],
  ['memoryMongoDbChat', '`state.get` and `state.set` around the agent', 'close'],
  ['outputParserStructured', 'the schema of the answer', 'close'],
  ['outputParserAutofixing', 'the schema of the answer', 'close'],
  ['outputParserItemList', 'the schema of the answer', 'close'],
  ['toolWorkflow', 'a flow as a tool', 'close'],
  ['toolHttpRequest', 'an HTTP tool', 'close'],
  ['mcpClientTool', 'an MCP server as a tool', 'equal'],
  [`${COMMUNITY}Tool`, 'an MCP server as a tool', 'close'],
  ['toolSerpApi', 'a flow with `http.request` as a tool', 'close'],
  ['toolWolframAlpha', 'a flow with `http.request` as a tool', 'close'],
  ['toolSearXng', 'a flow with `http.request` as a tool', 'close'],
  ['toolWikipedia', 'an HTTP tool', 'close'],
  ['toolCode', 'a flow with `code.run` as a tool', 'close'],
  ['toolCalculator', 'a flow with `code.run` as a tool', 'close'],
  ['toolThink', 'nothing: models think without it', 'equal'],
  ['toolVectorStore', 'a knowledge space as a tool', 'close'],
  ...SERVICE_TOOLS.map(
    (kind) =>
      [kind, 'a flow with the operator of the service or a request to it, as a tool', 'close'] as const,
  ),
  ['embeddingsOpenAi', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsGoogleGemini', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsOllama', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsCohere', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsMistralCloud', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsAzureOpenAi', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsHuggingFaceInference', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsAwsBedrock', 'the embedding model of a knowledge space', 'close'],
  ['embeddingsGoogleVertex', 'the embedding model of a knowledge space', 'close'],
  ['retrieverVectorStore', 'a knowledge space', 'close'],
  ['rerankerCohere', 'nothing: `knowledge.rerank` behind a search does it', 'close'],
  ['documentDefaultDataLoader', '`knowledge.load`', 'close'],
  ['textSplitterRecursiveCharacterTextSplitter', 'how a knowledge space splits documents', 'close'],
  ['textSplitterTokenSplitter', 'how a knowledge space splits documents', 'close'],
  ['textSplitterCharacterTextSplitter', 'how a knowledge space splits documents', 'close'],
];
