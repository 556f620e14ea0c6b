import { modelOf, tellPart, toolsOf } from '../agents/parts.ts';
import { givenSchema, promptOf, schemaOf } from '../agents/answer-form.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, type Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { idFrom, idSource } from '../../../awel/names.ts';
import { branch } from './branches.ts';

/** Single calls of models. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

/** One call of a model for each item: `read` makes the item of the answer. */
function ask(
  context: Context,
  call: {
    prompt: string;
    system?: string;
    schema?: Record<string, unknown> | undefined;
    read: string;
    model?: string | undefined;
  },
): Given {
  const { params, step } = context;
  const input = required(context);
  const { prompt, system, schema, read, model } = call;
  const temperature = params.number('options.temperature');
  const maxTokens = params.number('options.maxTokens') ?? params.number('options.maxTokensToSample');
  const id = itemwise(context, input, {
    operator: schema === undefined ? 'model.chat' : 'model.structured',
    params: {
      ...(model !== undefined && { model }),
      ...(system !== undefined && system !== '' && { system }),
      prompt,
      ...(schema !== undefined && { schema }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && maxTokens > 0 && { maxTokens }),
    },
  });
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${read} }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(
    context.port(made, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, step.name),
    }),
  );
}

function chain(context: Context): Given {
  const reads = context.reads(required(context));
  const messages = context.params.list('messages.messageValues');
  const system = messages
    .filter((one) => (one['type'] ?? 'SystemMessagePromptTemplate') === 'SystemMessagePromptTemplate')
    .map((one) => context.text(one['message'] ?? '', reads));
  const others = messages.length - system.length;
  if (others > 0)
    context.changed('setting', 'Messages before the prompt are left out; put them into the prompt.', {
      lost: true,
    });
  const prompt = promptOf(context, reads);
  const schema = schemaOf(context);
  return ask(context, {
    prompt,
    system: system.join('\n'),
    schema,
    model: modelOf(context),
    read: schema === undefined ? '{ text: input.text }' : '{ output: input }',
  });
}

function openAi(context: Context): Given {
  const { params, step } = context;
  const reads = context.reads(required(context));
  const resource = params.text('resource') ?? 'text';
  const operation = params.text('operation') ?? (resource === 'text' ? 'message' : '');
  if (!['text', 'chat'].includes(resource) || !['message', 'response', 'complete', ''].includes(operation))
    throw new NotHere(`it does “${resource} ${operation}”`, [
      'http.request to the address of the provider',
      'model.chat with files',
    ]);
  if (toolsOf(context).length > 0) throw new NotHere('it calls a model with tools', ['agent.run']);
  const messages = ['messages.values', 'responses.values', 'prompt.messages'].flatMap((path) =>
    params.list(path),
  );
  tellMessages(context, messages);
  const of = (role: string): string[] =>
    messages
      .filter((one) => (one['role'] ?? 'user') === role)
      .map((one) => context.text(one['content'] ?? '', reads));
  const prompt =
    [...of('user'), ...of('assistant')].join('\n\n') || context.text(params.get('prompt') ?? '', reads);
  const content = params.get('jsonOutput') === true ? 'json(input.text)' : 'input.text';
  return ask(context, {
    prompt,
    system: [context.text(params.get('options.system') ?? '', reads), ...of('system')]
      .filter((one) => one !== '')
      .join('\n'),
    model: ownModel(context),
    read: answerOf(step, content),
  });
}

function tellMessages(
  { params, changed }: Context,
  messages: readonly Readonly<Record<string, unknown>>[],
): void {
  params.skip('hideTools', 'options.store');
  for (const path of ['simplify', 'simplifyOutput'])
    if (params.get(path) === false)
      changed('setting', 'It gave the whole answer of the service; here it gives its text.', {
        before: `${path}: false`,
        lost: true,
      });
  if (messages.some((one) => one['role'] === 'assistant'))
    changed('setting', 'Messages of the assistant stand behind those of the user, in one prompt.');
}

/** The model that the node names itself. */
function ownModel(context: Context): string | undefined {
  const { params, step } = context;
  const own = params.text('modelId') ?? params.text('model') ?? params.text('chatModel');
  if (own === undefined) return undefined;
  const provider =
    { googleGemini: 'google', anthropic: 'anthropic', ollama: 'ollama' }[step.kind] ?? 'openai';
  const model = `${provider}/${own.replace(/^models\//, '')}`;
  needModel(context, model);
  return model;
}

/** Pictures and documents that a model looks at: files of the item, or of an address. */
function analyze(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const resource = params.text('resource') as string;
  tellMessages(context, []);
  const isOfAddress = (params.text('inputType') ?? 'url') === 'url';
  const from = isOfAddress ? downloaded(context, input, `${resource}Urls`) : input;
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const reads = context.reads(input);
  const text = params.get('text') ?? `What's in this ${resource}?`;
  const maxTokens = params.number('options.maxTokens') ?? params.number('options.maxOutputTokens');
  const model = ownModel(context);
  const id = itemwise(context, from, {
    operator: 'model.chat',
    params: {
      ...(model !== undefined && { model }),
      // No code stands before a node that gets something else than the item.
      prompt: context.text(text, isOfAddress ? { ...reads, from: undefined, item: () => item } : reads),
      files: isOfAddress ? '{{ [input] }}' : ownFiles(context),
      ...(maxTokens !== undefined && { maxTokens }),
    },
  });
  const read = step.kind === 'openAi' ? '{ content: input.text }' : answerOf(step, 'input.text');
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${read} }}` },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: input.card, ...following(input, step.name) }));
}

/** The files in fields of the item. */
function ownFiles({ params }: Context): string {
  const names = (params.text('binaryPropertyName') ?? 'data').split(',');
  return `{{ compact([${names.map((name) => `input?.[${JSON.stringify(name.trim())}]`).join(', ')}]) }}`;
}

function downloaded(context: Context, input: Port, path: string): Port {
  const given = asText(context.params.get(path) ?? '');
  if (given === '' || (given.includes(',') && !given.startsWith('=')))
    throw new NotHere('it reads files of several addresses', ['http.request and model.chat in a loop']);
  const id = itemwise(
    context,
    input,
    {
      operator: 'http.request',
      params: { url: context.text(given, context.reads(input)), response: 'file' },
    },
    { hint: `${context.step.name} file` },
  );
  return context.port(id, 'file', { card: input.card });
}

/** Whether a model looks at a file. */
function isAnalysis({ params }: Context): boolean {
  const resource = params.text('resource') ?? '';
  return params.text('operation') === 'analyze' && ['image', 'document'].includes(resource);
}

const ownCall = (context: Context): Given => (isAnalysis(context) ? analyze(context) : openAi(context));

/** The item in which each of them gives the answer. */
function answerOf({ kind, version }: Context['step'], content: string): string {
  if (kind === 'anthropic') return `{ content: [{ type: "text", text: ${content} }] }`;
  if (kind === 'ollama') return `{ content: ${content} }`;
  if (kind === 'googleGemini') return '{ content: { parts: [{ text: input.text }], role: "model" } }';
  if (version >= 2) return `{ output: [{ content: [{ type: "output_text", text: ${content} }] }] }`;
  return `{ index: 0, message: { role: "assistant", content: ${content} }, finish_reason: "stop" }`;
}

function needModel({ job, step }: Context, model: string): void {
  job.report.need({
    kind: 'model',
    name: model,
    nodes: [],
    message: `Set up a provider with the model ${model}, or choose another one in “${step.name}”.`,
  });
}

function extract(context: Context): Given {
  const { params, step } = context;
  const reads = context.reads(required(context));
  const given = givenSchema(step.parameters);
  params.skip('schemaType', 'inputSchema', 'jsonSchemaExample', 'attributes.attributes');
  const attributes = params.list('attributes.attributes');
  const properties = Object.fromEntries(
    attributes.map((one) => [
      asText(one['name'] ?? 'value'),
      {
        type: one['type'] === 'number' || one['type'] === 'boolean' ? one['type'] : 'string',
        description: asText(one['description'] ?? ''),
      },
    ]),
  );
  const required_ = attributes
    .filter((one) => one['required'] === true)
    .map((one) => asText(one['name'] ?? ''));
  const schema = given ?? { type: 'object', properties, required: required_ };
  return ask(context, {
    prompt: context.text(params.get('text') ?? '', reads),
    system: context.text(
      params.get('options.systemPromptTemplate') ?? 'Take the values of the schema out of the text.',
      reads,
    ),
    schema,
    model: modelOf(context),
    read: '{ output: input }',
  });
}

function route(
  context: Context,
  text: unknown,
  cases: readonly { name: string; description: string }[],
  other: boolean,
): Given {
  const input = required(context);
  const reads = context.reads(input);
  const model = modelOf(context);
  const nameOf = idSource(['else']);
  const named = cases.map(({ name, description }, i) => ({
    name: nameOf(idFrom(name, `case_${i + 1}`)),
    description: description === '' ? name : description,
  }));
  const id = itemwise(context, input, {
    operator: 'model.route',
    params: { cases: named, prompt: context.text(text ?? '', reads), ...(model !== undefined && { model }) },
  });
  const outputs = [...named.map(({ name }) => name), ...(other ? ['else'] : [])].map((name, at) =>
    branch(context, input, [id, name], { at }),
  );
  return { outputs, item: input, isParted: true };
}

function classify(context: Context): Given {
  const { params } = context;
  const cases = params
    .list('categories.categories')
    .map((one) => ({ name: asText(one['category'] ?? ''), description: asText(one['description'] ?? '') }));
  if (cases.length === 0) throw new NotHere('it has no categories', ['model.route']);
  return route(context, params.get('inputText'), cases, params.text('options.fallback') === 'other');
}

function sentiment(context: Context): Given {
  const { params } = context;
  const given = params.text('options.categories') ?? 'Positive, Neutral, Negative';
  const cases = given
    .split(',')
    .map((name) => ({ name: name.trim(), description: `The sentiment of the text is ${name.trim()}.` }));
  return route(context, params.get('inputText'), cases, false);
}

function summarise(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  params.skip('operationMode', 'type');
  const model = modelOf(context);
  for (const { step: part } of context.allParts())
    if (!context.job.absorbed.has(part.name)) tellPart(context, part, 'the summary');
  const text = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: '{{ toJson(input) }}' } },
    { hint: `${step.name} text` },
  );
  const id = itemwise(context, context.port(text, 'out', { card: input.card }), {
    operator: 'knowledge.summarize',
    params: model === undefined ? {} : { model },
  });
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: '{{ { response: { text: input }, output: { text: input } } }}' },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: input.card, ...following(input, step.name) }));
}

export const modelCallEntries: readonly Entry[] = [
  {
    kind: 'chainLlm',
    versions: '1 to 1.7',
    word: 'close',
    becomes: '`model.chat`, `model.structured`',
    difference: 'Example messages are left out.',
    convert: chain,
  },
  {
    kind: 'openAi',
    versions: '1 to 2',
    word: 'close',
    becomes: '`model.chat`',
    difference:
      'Pictures and documents are read; making pictures, audio, files and assistants are placeholders.',
    convert: ownCall,
  },
  {
    kind: 'googleGemini',
    word: 'close',
    becomes: '`model.chat`',
    difference: 'Pictures and documents are read; making pictures, audio and video are placeholders.',
    convert: ownCall,
  },
  {
    kind: 'anthropic',
    word: 'close',
    becomes: '`model.chat`',
    difference: 'Pictures and documents are read; other files are placeholders.',
    convert: ownCall,
  },
  {
    kind: 'ollama',
    word: 'close',
    becomes: '`model.chat`',
    difference: 'Pictures are read; with tools it is a placeholder.',
    convert: ownCall,
  },
  { kind: 'informationExtractor', word: 'equal', becomes: '`model.structured`', convert: extract },
  {
    kind: 'textClassifier',
    word: 'close',
    becomes: '`model.route`',
    difference: 'An item goes to one category.',
    convert: classify,
  },
  {
    kind: 'sentimentAnalysis',
    word: 'close',
    becomes: '`model.route`',
    difference: 'The item gets no field with the sentiment.',
    convert: sentiment,
  },
  {
    kind: 'chainSummarization',
    word: 'close',
    becomes: '`knowledge.summarize`',
    difference: 'The prompts of single steps are not kept.',
    convert: summarise,
  },
];
