import { idFrom, idSource } from '../../../awel/names.ts';
import { type Fields, listOf, recordOf, selectorOf, textOf } from '../app.ts';
import { type Here, type Mapping, simple, whole } from '../here.ts';
import { agentTools } from './agent-tools.ts';
import { Unmapped } from '../unmapped.ts';
import { visionOf } from '../models.ts';
import { spaceOf } from './knowledge.ts';
import { partsOf } from '../texts.ts';
import { braces, literal, members, quoted, templateOf, type Value } from '../write.ts';

/** Nodes that ask a model for a decision or for values. */

/** The question as a value of its own: what arrives here may be another request, whose messages would go along. */
function questionNode(here: Here, selector: readonly string[]): string {
  if (selector.length === 0) throw new Unmapped('it names no variable that it reads');
  return here.add('question', {
    operator: 'core.map',
    params: { value: { question: braces(`string(${here.value(selector).expr})`) } },
  });
}

function withoutMemory(here: Here): void {
  const memory = here.settings.record('memory');
  if (memory['enabled'] === true || recordOf(memory['window'])['enabled'] === true)
    here.note('It decides without the earlier messages of the conversation.');
}

const template = (here: Here, text: string): string =>
  templateOf(partsOf(text, (selector) => here.value(selector)));

export const questionClassifier: Mapping = (here) => {
  const { settings } = here;
  const classes = settings.records('classes').filter((one) => textOf(one['name']).trim() !== '');
  if (classes.length === 0) throw new Unmapped('it has no classes');
  if (classes.length > 100) throw new Unmapped('it has more than 100 classes');
  const question = questionNode(here, settings.selector('query_variable_selector'));
  const choice = here.model(settings.get('model'));
  withoutMemory(here);
  const idOf = idSource(['else', 'error']);
  const cases = classes.map((one) => ({
    key: textOf(one['id']),
    label: textOf(one['name']),
    name: idOf(idFrom(textOf(one['name']), 'class')),
  }));
  if (cases.some(({ label }) => label.length > 1900))
    here.note('Descriptions of classes are cut to 1,900 characters.');
  const system = template(here, textOf(settings.get('instruction')) || textOf(settings.get('instructions')));
  settings.ignore('instructions', 'topics', 'query_variable_selector');
  const { json: _json, ...request } = choice.request;
  if (Object.keys(request).length > 0) here.note('Penalties and seeds of the model are left out.');
  const id = here.main({
    operator: 'model.route',
    params: {
      cases: cases.map(({ name, label }) => ({ name, description: template(here, label.slice(0, 1900)) })),
      ...(system.trim() !== '' && { system }),
      prompt: '{{ input.question }}',
      ...choice.params,
      ...visionOf(here),
    },
  });
  here.wire(`${question}.out`, `${id}.in`);
  const leave = Object.fromEntries(
    cases.map(({ key, name }, at) => [key, [`${id}.${name}`, ...(at === 0 ? [`${id}.else`] : [])]]),
  );
  const chosen = (key: 'label' | 'key'): string => {
    const rest = cases.slice(1).map((one) => `nodes.${id}?.${one.name} ? ${quoted(one[key])} : `);
    return `(${rest.join('')}${quoted(cases[0]?.[key] ?? '')})`;
  };
  return {
    enter: `${question}.in`,
    leave,
    value: ([name]) => {
      if (name === 'class_name' || name === 'class_label') return { expr: chosen('label'), kind: 'text' };
      return name === 'class_id' ? { expr: chosen('key'), kind: 'text' } : undefined;
    },
  };
};

const TYPES: Readonly<Record<string, Fields>> = {
  string: { type: 'string' },
  select: { type: 'string' },
  number: { type: 'number' },
  bool: { type: 'boolean' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  'array[string]': { type: 'array', items: { type: 'string' } },
  'array[number]': { type: 'array', items: { type: 'number' } },
  'array[boolean]': { type: 'array', items: { type: 'boolean' } },
  'array[object]': { type: 'array', items: { type: 'object' } },
};
const KINDS: Readonly<Record<string, Value['kind']>> = {
  string: 'text',
  select: 'text',
  number: 'number',
  bool: 'boolean',
  boolean: 'boolean',
  object: 'record',
};
const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  select: '',
  number: 0,
  bool: false,
  boolean: false,
  object: {},
};

export const parameterExtractor: Mapping = (here) => {
  const { settings } = here;
  const parameters = settings.records('parameters').filter((one) => textOf(one['name']) !== '');
  if (parameters.length === 0) throw new Unmapped('it has no parameters');
  const asked = settings.selector('query');
  const question = questionNode(
    here,
    asked.length > 0 ? asked : settings.selector('query_variable_selector'),
  );
  const choice = here.model(settings.get('model'));
  withoutMemory(here);
  const instruction = template(here, settings.text('instruction'));
  settings.ignore('reasoning_mode', 'variables');
  const properties = parameters.map((one) => [textOf(one['name']), schemaOf(one)] as const);
  const required = parameters.filter((one) => one['required'] === true).map((one) => textOf(one['name']));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  const system = `Take the values that the schema names out of the text. Leave out what the text does not say.${instruction.trim() === '' ? '' : `\n\n${instruction}`}`;
  here.note('An answer that does not fit its schema ends the run; there it goes on without values.');
  const params = { system, prompt: '{{ input.question }}', schema, ...choice.params, ...visionOf(here) };
  const id = here.main({ operator: 'model.structured', params }, (values) => ({ out: values }));
  here.wire(`${question}.out`, `${id}.in`);
  const types = new Map(parameters.map((one) => [textOf(one['name']), textOf(one['type']) || 'string']));
  return simple(`${question}.in`, `${id}.out`, ([name = '', ...rest], q) => {
    const type = types.get(name);
    if (type !== undefined) {
      const empty = type.startsWith('array') ? [] : (EMPTY[type] ?? null);
      const value = `(${members(`nodes.${id}`, [name], '?')} ?? ${literal(empty)})`;
      if (rest.length > 0) return { expr: members(value, rest, '?') };
      return { expr: value, kind: type.startsWith('array') ? 'list' : KINDS[type] };
    }
    if (name === '__is_success') return { expr: `(${whole(id, q).expr} === null ? 0 : 1)`, kind: 'number' };
    return name === '__reason' ? { expr: '""', kind: 'text' } : undefined;
  });
};

function schemaOf(parameter: Fields): Fields {
  const type = textOf(parameter['type']) || 'string';
  const description = textOf(parameter['description']);
  const options = listOf(parameter['options']).map(textOf);
  return {
    ...(Object.hasOwn(TYPES, type) && TYPES[type]),
    ...(description !== '' && { description }),
    ...(options.length > 0 && { enum: options }),
  };
}

/** The text of what an agent streams. */
const TEXT_OF_ITEMS = {
  operator: 'core.reduce',
  params: {
    initial: '',
    value: "{{ acc + (typeOf(item) === 'string' ? item : item?.type === 'text' ? item.text : '') }}",
  },
};

export const agent: Mapping = (here) => {
  const given = here.settings.record('agent_parameters');
  const value = (name: string): unknown => recordOf(given[name])['value'];
  const tools = agentTools(here, listOf(value('tools')).map(recordOf), textOf(value('mcp_server')));
  const others = Object.keys(given).filter(
    (name) =>
      ![
        'tools',
        'mcp_server',
        'model',
        'instruction',
        'query',
        'maximum_iterations',
        'max_iterations',
        'context',
      ].includes(name) && textOf(value(name)) !== '',
  );
  if (others.length > 0)
    throw new Unmapped(`its strategy has settings of its own (${others.join(', ').slice(0, 100)})`);
  here.settings.ignore('agent_strategy_name', 'memory', 'tool_node_version');
  const { model } = here.model(value('model'));
  const query = recordOf(given['query']);
  const asked =
    query['type'] === 'variable'
      ? [here.value(selectorOf(query['value']))]
      : partsOf(textOf(query['value']), (one) => here.value(one));
  const instruction = template(here, textOf(value('instruction')));
  here.note('It answers with an agent of Weft, which has its own way of working; the answer arrives whole.');
  const id = here.main({
    operator: 'agent.run',
    params: {
      agent: {
        name: (here.node.title || 'Assistant').slice(0, 100),
        prompt: instruction,
        ...(model !== '' && { model: model.replaceAll('{{', '\\{{') }),
        ...(tools.length > 0 && { tools }),
      },
      input: [{ role: 'user', content: templateOf(asked) }],
    },
  });
  const text = here.add('text', TEXT_OF_ITEMS);
  here.wire(`${id}.out`, `${text}.in`);
  return {
    enter: `${id}.in`,
    leave: { source: [`${text}.out`] },
    value: ([name], q) => {
      if (name === 'text') return whole(text, q, 'text');
      return name === 'files' || name === 'json' ? { expr: '[]', kind: 'list' } : undefined;
    },
  };
};

/** The agent of an app that has no graph. */
export const agentApp: Mapping = (here) => {
  const { settings } = here;
  const others = agentTools(here, settings.records('tools'), '');
  const { model } = here.model(settings.get('model'));
  settings.ignore('strategy');
  const most = settings.number('max_iteration');
  const datasets = settings.list('datasets').map(textOf);
  const documents = datasets.map((one) => {
    const space = spaceOf(here, one);
    return { type: 'knowledge', name: idFrom(space, 'documents'), value: space };
  });
  const tools = [...others, ...documents];
  here.note('It answers with an agent of Weft, which has its own way of working.');
  const agent = {
    name: (here.node.title || 'Assistant').slice(0, 100),
    prompt: template(here, settings.text('instruction')),
    ...(model !== '' && { model: model.replaceAll('{{', '\\{{') }),
    ...(tools.length > 0 && { tools }),
  };
  const budget =
    most !== undefined && most >= 1 ? { budget: { steps: Math.min(1000, Math.round(most) + 1) } } : {};
  const id = here.main({ operator: 'agent.run', params: { agent, ...budget } });
  return {
    enter: `${id}.in`,
    leave: { source: [`${id}.out`] },
    value: () => undefined,
    result: { port: `${id}.out`, text: (of) => `(${of} ?? "")` },
  };
};
